package dev.pacegate.audit;

import dev.pacegate.limit.Promise;

/** A promise of your own kind that an {@link Audit} can judge: it brings its own check. */
public interface Auditable extends Promise {

  /** Returns a check that has not seen anything yet. */
  PromiseCheck newCheck();
}
