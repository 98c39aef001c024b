package dev.pacegate.benchmarks.interleaved;

import dev.pacegate.benchmarks.Subject;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What takes a turn: a subject that grants or that refuses, in a version of Pacegate.
 *
 * @param version the place of the version among those that are compared; 0 if there is but one
 */
record Case(Subject subject, boolean grants, int version) {

  /** Returns what a table calls it, whatever the version. */
  String name() {
    return subject == Subject.FLOOR
        ? subject.title
        : subject.title + (grants ? ", granted" : ", refused");
  }

  /** Returns its loop, with classes of its own. */
  Loop loop(Optional<Path> core) {
    // Not closed: classes are still being loaded while the loop runs.
    var own = new Isolated(core);
    try {
      return (Loop)
          own.loadClass(SubjectLoop.class.getName())
              .getConstructor(String.class, boolean.class)
              .newInstance(subject.name(), grants);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(this + " cannot be loaded from " + core, e);
    }
  }
}
