package dev.pacegate.feedback;

import dev.pacegate.PeerAnswer;

/** Reads known parts of an answer, and tells which of its headers it understood. */
@FunctionalInterface
interface HeaderFormat {

  PeerAnswer read(Reading reading);
}
