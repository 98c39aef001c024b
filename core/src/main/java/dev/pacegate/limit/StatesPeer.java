package dev.pacegate.limit;

/** A limit whose text says {@code peer}. {@link All} need not know more of it. */
interface StatesPeer {}
