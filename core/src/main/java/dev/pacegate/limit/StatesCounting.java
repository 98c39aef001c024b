package dev.pacegate.limit;

/** A limit whose text says how it counts: {@code peer} and {@code starts}. */
interface StatesCounting {}
