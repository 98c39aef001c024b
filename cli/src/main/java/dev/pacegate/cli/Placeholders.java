package dev.pacegate.cli;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An argument of a command with places that are filled for each line: that of the line itself,
 * <code>{#}</code> for its number, and <code>{2}</code> for a column. A backslash before a place
 * makes it plain text, and two stand for one.
 */
final class Placeholders {

  /** A part of the argument, which writes itself. */
  private interface PlacePart {
    void write(InputLine line, List<byte[]> columns, ByteArrayOutputStream to) throws Failure;
  }

  private final List<PlacePart> parts = new ArrayList<>();
  private final StringBuilder plain = new StringBuilder();
  private boolean takesInput;
  private boolean isFixed = true;

  /**
   * Parses an argument.
   *
   * @param place what stands for the line
   * @param withColumns whether <code>{2}</code> stands for a column
   */
  Placeholders(String argument, String place, boolean withColumns) {
    String number = withColumns ? "|\\{([1-9][0-9]{0,3})}" : "|(\\b\\B)"; // which is nowhere
    Pattern places =
        Pattern.compile("(\\\\*)(?:(" + Pattern.quote(place) + ")|\\{#}" + number + ")");
    Matcher found = places.matcher(argument);
    int from = 0;
    while (found.find()) {
      int slashes = found.group(1).length();
      addText(argument.substring(from, found.start()) + "\\".repeat(slashes / 2));
      if (slashes % 2 == 1) {
        addText(argument.substring(found.end(1), found.end()));
      } else {
        addPlace(found.group(2) != null, found.group(3));
      }
      from = found.end();
    }
    addText(argument.substring(from));
  }

  private void addText(String text) {
    plain.append(text);
    byte[] bytes = text.getBytes(World.NATIVE);
    parts.add((line, columns, to) -> to.writeBytes(bytes));
  }

  private void addPlace(boolean isOfLine, @Nullable String column) {
    isFixed = false;
    takesInput |= isOfLine || column != null;
    if (isOfLine) {
      parts.add((line, columns, to) -> to.writeBytes(line.text()));
    } else if (column == null) {
      parts.add(
          (line, columns, to) ->
              to.writeBytes(Long.toString(line.sequence()).getBytes(World.NATIVE)));
    } else {
      int number = Integer.parseInt(column);
      parts.add((line, columns, to) -> to.writeBytes(column(line, columns, number)));
    }
  }

  private static byte[] column(InputLine line, List<byte[]> columns, int number) throws Failure {
    if (number > columns.size()) {
      throw new Failure(line.quoted() + " has no column " + number);
    }
    return columns.get(number - 1);
  }

  /** Returns whether the line or a column of it has a place here. */
  boolean takeInput() {
    return takesInput;
  }

  /** Returns the argument if it is the same for all lines; null if not. */
  @Nullable String fixed() {
    return isFixed ? plain.toString() : null;
  }

  /** Returns the argument for a line. */
  byte[] fill(InputLine line, List<byte[]> columns) throws Failure {
    var bytes = new ByteArrayOutputStream();
    for (PlacePart part : parts) {
      part.write(line, columns, bytes);
    }
    return bytes.toByteArray();
  }
}
