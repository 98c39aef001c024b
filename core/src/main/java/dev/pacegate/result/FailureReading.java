package dev.pacegate.result;

import dev.pacegate.FailureClassifier;
import dev.pacegate.limit.Outcome;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Classifies one failure with all its causes, for {@link FailureClassifier}. Not thread-safe. */
public final class FailureReading {

  /** The most exceptions of one failure that are read. */
  private static final int MOST = 64;

  private final Function<Throwable, FailureEvidence> evidence;
  private final List<Throwable> read = new ArrayList<>();

  /** Creates a reading that judges each exception by {@code evidence}. */
  public FailureReading(Function<Throwable, FailureEvidence> evidence) {
    this.evidence = evidence;
  }

  public Outcome of(Throwable failure) {
    FailureEvidence found = strongest(failure);
    if (found == FailureEvidence.NOT_SENT && mayHaveBeenSentBefore()) {
      return Outcome.LOST;
    }
    return found.outcome;
  }

  /** Returns the strongest evidence among the exceptions of a chain that have not been read yet. */
  private FailureEvidence strongest(Throwable failure) {
    FailureEvidence strongest = FailureEvidence.NONE;
    FailureEvidence wrapper = FailureEvidence.NONE;
    for (Throwable link = failure; link != null && !isRead(link); link = link.getCause()) {
      if (read.size() == MOST) {
        return FailureEvidence.LOST;
      }
      read.add(link);
      wrapper = of(link, wrapper);
      strongest = strongest.or(wrapper);
    }
    return strongest;
  }

  private FailureEvidence of(Throwable link, FailureEvidence wrapper) {
    if (wrapper == FailureEvidence.NOT_SENT && link instanceof ClosedChannelException) {
      return wrapper; // the JDK's HTTP client says so of the connection that was refused
    }
    return evidence.apply(link);
  }

  /** Compares by identity, as an exception may define {@code equals}. */
  @SuppressWarnings("ReferenceEquality")
  private boolean isRead(Throwable failure) {
    return read.stream().anyMatch(known -> known == failure);
  }

  /**
   * Returns whether there are suppressed earlier attempts, as OkHttp and the AWS SDK report them,
   * that are not known to have been refused too.
   */
  private boolean mayHaveBeenSentBefore() {
    for (int i = 0; i < read.size(); i++) { // what is suppressed is added, and has its own
      for (Throwable suppressed : read.get(i).getSuppressed()) {
        if (!isRead(suppressed) && !isHarmless(strongest(suppressed))) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isHarmless(FailureEvidence evidence) {
    return evidence == FailureEvidence.NOT_SENT || evidence == FailureEvidence.NOTE;
  }
}
