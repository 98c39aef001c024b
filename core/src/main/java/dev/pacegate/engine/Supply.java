package dev.pacegate.engine;

import dev.pacegate.engine.visit.Visit;

/**
 * Asked at the end of each visit what is wanted from outside, such as permits of a source. Guarded
 * by the gate, which is never free while there is one: so each request is a visit.
 */
public interface Supply {

  /** Adds what is to be done outside to {@code visit}. */
  void collect(Visit visit);
}
