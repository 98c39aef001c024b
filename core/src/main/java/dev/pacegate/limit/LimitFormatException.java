package dev.pacegate.limit;

/**
 * Thrown if a text is no limit. The message quotes the text and names the column and what was
 * expected there.
 */
public final class LimitFormatException extends IllegalArgumentException {

  private static final long serialVersionUID = 1;

  private final int position;

  LimitFormatException(String text, int position, String problem) {
    super("\"" + text + "\", column " + (position + 1) + ": " + problem);
    this.position = position;
  }

  /** Returns the position in the text at which parsing failed, counted from 0. */
  public int position() {
    return position;
  }
}
