package dev.pacegate.feedback;

/** Reads known parts of an answer, and tells which of its headers it understood. */
@FunctionalInterface
interface HeaderFormat {

  Lesson read(Reading reading);
}
