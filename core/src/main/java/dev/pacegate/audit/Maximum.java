package dev.pacegate.audit;

/** The highest value so far and the stretch that had it; of equal ones, the first. */
final class Maximum {

  private final Int128 value = new Int128();
  private boolean found;
  private long counted;
  private long from;
  private long to;

  void offer(Int128 candidate, long counted, long from, long to) {
    if (found && candidate.compareTo(value) <= 0) {
      return;
    }
    found = true;
    value.set(candidate);
    this.counted = counted;
    this.from = from;
    this.to = to;
  }

  void set(Maximum other) {
    value.set(other.value);
    found = other.found;
    counted = other.counted;
    from = other.from;
    to = other.to;
  }

  /** Returns the highest value; 0 if there was none. */
  Int128 value() {
    return value;
  }

  Stretch stretch() {
    return found ? new Stretch(counted, from, to) : Stretch.NONE;
  }
}
