package dev.pacegate.audit;

/** An instant that comes too late in a log that must be in order: it should have come before. */
public final class OutOfOrderException extends IllegalArgumentException {

  private static final long serialVersionUID = 1;

  private final long instant;
  private final long earliest;

  OutOfOrderException(String message, long instant, long earliest) {
    super(message);
    this.instant = instant;
    this.earliest = earliest;
  }

  /** Returns the instant that was refused. */
  public long instant() {
    return instant;
  }

  /** Returns the earliest instant that would have been accepted in its place. */
  public long earliest() {
    return earliest;
  }
}
