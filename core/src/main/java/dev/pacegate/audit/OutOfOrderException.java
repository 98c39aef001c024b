package dev.pacegate.audit;

/** Thrown if an instant is earlier than the log's order allows. */
public final class OutOfOrderException extends IllegalArgumentException {

  private static final long serialVersionUID = 1;

  private final long instant;
  private final long earliest;

  OutOfOrderException(String message, long instant, long earliest) {
    super(message);
    this.instant = instant;
    this.earliest = earliest;
  }

  /** Returns the rejected instant. */
  public long instant() {
    return instant;
  }

  /** Returns the earliest instant that would have been accepted instead. */
  public long earliest() {
    return earliest;
  }
}
