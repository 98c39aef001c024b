package dev.pacegate.cli;

/** A line of the input that a command is run for. */
final class InputLine {

  private static final int WIDEST_QUOTE = 60;

  private final byte[] text;
  private final long number;
  private final long sequence;

  /**
   * @param text the line without its end
   * @param number of the line in the input
   * @param sequence its number among those that a command is run for, from 1
   */
  InputLine(byte[] text, long number, long sequence) {
    this.text = text;
    this.number = number;
    this.sequence = sequence;
  }

  byte[] text() {
    return text;
  }

  long number() {
    return number;
  }

  long sequence() {
    return sequence;
  }

  /** Returns how messages name the line. */
  String quoted() {
    String all = new String(text, World.NATIVE);
    return "line " + number + " (" + Cells.shortened(all, WIDEST_QUOTE) + ")";
  }
}
