package dev.pacegate.model;

/** What must hold in every state of every run. */
enum Property {
  /** At most one thread is inside the gate. */
  MUTUAL_EXCLUSION,

  /** The limit is never exceeded, counted by the instants at which threads really went on. */
  LIMIT,

  /** No thread is released while the limiter is paused. */
  PAUSE,

  /** No thread is released that joined the queue behind a waiter not yet called, or not at all. */
  ORDER,

  /** A called waiter finds its permit there, unless a pause or a closed clock edge came between. */
  CALL,

  /**
   * While all threads rest, no called waiter sleeps and the first uncalled one sleeps no longer
   * than the limit demands. When only the clock goes on, no thread is left waiting.
   */
  WAKE_UP,

  /** No run goes on for ever: the graph of states has no loop. */
  END,

  /** When all are done the queue is empty, nothing is called or open, and the gate is free. */
  CLEAN
}
