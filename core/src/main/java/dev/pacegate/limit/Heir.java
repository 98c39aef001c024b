package dev.pacegate.limit;

/** A meter that knows in whose place it is, and so how much may have gone before it remembers. */
interface Heir extends Remembering {

  /**
   * Returns what may have gone before: its own limit's pace, and that of those it took over from.
   */
  Lineage lineage();

  @Override
  default Rate fastest() {
    return lineage().fastest();
  }

  @Override
  default long largest() {
    return lineage().largest();
  }
}
