package dev.pacegate.audit;

/** The highest value so far and the stretch that had it; of equal ones, the first. */
final class Highest {

  private final Wide value = new Wide();
  private boolean found;
  private long counted;
  private long from;
  private long to;

  void offer(Wide candidate, long counted, long from, long to) {
    if (found && candidate.compareTo(value) <= 0) {
      return;
    }
    found = true;
    value.set(candidate);
    this.counted = counted;
    this.from = from;
    this.to = to;
  }

  void set(Highest other) {
    value.set(other.value);
    found = other.found;
    counted = other.counted;
    from = other.from;
    to = other.to;
  }

  /** Returns the highest value; 0 if there was none. */
  Wide value() {
    return value;
  }

  Stretch stretch() {
    return found ? new Stretch(counted, from, to) : Stretch.NONE;
  }
}
