package dev.pacegate.redis;

/** The limit that all keys of a name have, as this process knows it. Thread-safe. */
interface KeysLimit {

  /** Returns the address of the limit in a tag. */
  Address address(int tag);

  /** Returns the limit, of which there has been one. */
  Terms known();

  /**
   * Returns the terms of another limit by its text.
   *
   * @throws IllegalArgumentException if this process cannot use it
   */
  Terms terms(String limit);

  /** The first tag has told which limit it has: it is this one from now on. */
  void followFirst(Reply reply);
}
