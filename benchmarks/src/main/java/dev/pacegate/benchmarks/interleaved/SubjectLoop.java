package dev.pacegate.benchmarks.interleaved;

import dev.pacegate.benchmarks.Subject;
import java.util.function.BooleanSupplier;

/** The loop of every subject. Each subject has a copy of this class: see {@link Isolated}. */
public final class SubjectLoop implements Loop {

  private final BooleanSupplier request;

  /** Takes the name of the subject: its class is another one here than where it was chosen. */
  public SubjectLoop(String subject, boolean grants) {
    Subject own = Subject.valueOf(subject);
    request = grants ? own.granting() : own.refusing();
  }

  @Override
  public int run() {
    int granted = 0;
    for (int i = 0; i < CALLS; i++) {
      if (request.getAsBoolean()) {
        granted++;
      }
    }
    return granted;
  }
}
