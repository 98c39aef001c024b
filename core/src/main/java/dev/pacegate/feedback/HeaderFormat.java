package dev.pacegate.feedback;

import dev.pacegate.PeerAnswer;
import java.util.List;

/** Reads known parts of an answer, and tells which of its headers it understood. */
@FunctionalInterface
interface HeaderFormat {

  PeerAnswer read(Reading reading);

  /**
   * Returns how the names of the headers begin without which it reads nothing; none if it reads
   * every answer.
   */
  default List<String> beginnings() {
    return List.of();
  }
}
