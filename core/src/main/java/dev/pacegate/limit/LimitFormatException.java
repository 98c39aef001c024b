package dev.pacegate.limit;

/**
 * A text that is no limit. The message quotes it, points at the position and says what would do.
 */
public final class LimitFormatException extends IllegalArgumentException {

  private static final long serialVersionUID = 1;

  private final int position;

  LimitFormatException(String text, int position, String problem) {
    super("\"" + text + "\", column " + (position + 1) + ": " + problem);
    this.position = position;
  }

  /** Returns the position in the text at which it stopped making sense, counted from 0. */
  public int position() {
    return position;
  }
}
