package dev.pacegate.benchmarks.interleaved;

import dev.pacegate.benchmarks.Subject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * All that take turns.
 *
 * @param versions the versions of Pacegate to compare; none to measure the one that this program
 *     was built with
 */
record Lineup(List<Subject> subjects, List<Path> versions) {

  Lineup {
    subjects = List.copyOf(subjects);
    versions = List.copyOf(versions);
  }

  /**
   * Returns all cases, in groups: those of a group differ in the version alone, and take their
   * turns one right after the other, so that what disturbs them for longer disturbs them alike.
   */
  List<List<Case>> groups() {
    var groups = new ArrayList<List<Case>>();
    for (Subject subject : subjects) {
      groups.add(group(subject, true));
      if (subject != Subject.FLOOR) { // which cannot refuse
        groups.add(group(subject, false));
      }
    }
    return groups;
  }

  /** Returns where the core's classes are to come from, if not from this program. */
  Optional<Path> core(Case turn) {
    return versions.isEmpty() ? Optional.empty() : Optional.of(versions.get(turn.version()));
  }

  private List<Case> group(Subject subject, boolean grants) {
    var group = new ArrayList<Case>();
    for (int version = 0; version < Math.max(1, versions.size()); version++) {
      group.add(new Case(subject, grants, version));
    }
    return group;
  }
}
