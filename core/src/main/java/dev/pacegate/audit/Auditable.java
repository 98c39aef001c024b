package dev.pacegate.audit;

import dev.pacegate.limit.Promise;

/** A promise of your own kind that an {@link Audit} can judge, because it creates its own check. */
public interface Auditable extends Promise {

  /** Returns a check that has no requests yet. */
  PromiseCheck newCheck();
}
