package dev.pacegate.redis;

/** Runs scripts on limits, wherever those are. */
interface ScriptRunner {

  /**
   * Runs a script on the limit of that address when its {@linkplain CallWindow turn} comes.
   *
   * @param terms how many terms the limit has that the caller knows
   */
  void run(Script script, Address address, int terms, Caller caller);

  /** Returns whether no call is made any more. */
  boolean isClosed();
}
