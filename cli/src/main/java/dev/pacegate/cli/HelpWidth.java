package dev.pacegate.cli;

import java.util.LinkedHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Makes help as wide as the terminal. picocli has a least width, and breaks lines within addresses,
 * so the text is folded here. In a narrow terminal what an option means begins on a line of its
 * own.
 */
final class HelpWidth {

  private static final int NARROW = 66; // below this
  private static final int WIDEST = 120; // to be read
  private static final int NARROWEST = 20;
  private static final int NEVER_FOLDED = 1 << 16;
  private static final String HEADING = "Usage: ";
  private static final int INDENT = 6;
  private static final int WIDEST_INDENT = 10; // of a narrow terminal
  private static final Pattern OPTION =
      Pattern.compile("( *-\\S*[^\\s,](?:, -\\S+)*|.*?\\S(?= {2})) +(\\S.*)");

  private static final Pattern STYLE = Pattern.compile("\u001b\\[[0-9;]*m");

  private HelpWidth() {}

  static void set(CommandLine command, int columns) {
    int width = bounded(columns);
    command.setUsageHelpWidth(NEVER_FOLDED);
    var sections = new LinkedHashMap<String, IHelpSectionRenderer>();
    command
        .getHelpSectionMap()
        .forEach(
            (name, section) -> sections.put(name, help -> fold(name, section.render(help), width)));
    command.setHelpSectionMap(sections);
  }

  private static String fold(String section, String text, int width) {
    return switch (section) {
      case UsageMessageSpec.SECTION_KEY_SYNOPSIS_HEADING -> text; // the synopsis goes on behind it
      case UsageMessageSpec.SECTION_KEY_SYNOPSIS -> synopsis(text, width);
      default -> folded(text, width);
    };
  }

  private static String synopsis(String text, int width) {
    var folded = new StringBuilder();
    fold("", " ".repeat(HEADING.length()), HEADING + text.strip(), width, folded);
    return folded.substring(HEADING.length());
  }

  /** Returns the width that text gets in a terminal. */
  static int bounded(int columns) {
    return Math.max(NARROWEST, Math.min(columns, WIDEST));
  }

  /** Returns text whose lines are no longer than {@code width}, but for single words. */
  static String folded(String text, int width) {
    var folded = new StringBuilder();
    for (String line : text.lines().toList()) {
      String plain = STYLE.matcher(line).replaceAll("");
      Matcher option = OPTION.matcher(plain);
      int meaning = option.matches() ? option.start(2) : 0;
      String first = line.substring(0, withStyles(line, meaning));
      String rest = line.substring(first.length());
      if (cells(line) <= width) {
        folded.append(line).append(System.lineSeparator());
      } else if (meaning > 0 && width < NARROW) {
        fold(first, width, folded);
        fold(" ".repeat(INDENT) + rest, width, folded);
      } else if (meaning > 0 && meaning < width / 2) { // a row of a table
        fold(first, " ".repeat(cells(first)), rest, width, folded);
      } else {
        fold(line, width, folded);
      }
    }
    return folded.toString();
  }

  /** Breaks a line between words; those below have its indentation. */
  private static void fold(String line, int width, StringBuilder folded) {
    String plain = STYLE.matcher(line).replaceAll("");
    int blanks = plain.length() - plain.stripLeading().length();
    int text = withStyles(line, blanks);
    String styles = line.substring(0, text).replace(" ", "");
    boolean isTooFar = width < NARROW && blanks > WIDEST_INDENT;
    String indent = " ".repeat(isTooFar ? INDENT : blanks);
    fold(indent, indent, styles + line.substring(text).strip(), width, folded);
  }

  private static void fold(
      String first, String indent, String text, int width, StringBuilder folded) {
    String before = first;
    int used = 0;
    for (String word : text.split(" +", -1)) {
      if (used > 0 && used + 1 + cells(word) > width) {
        folded.append(System.lineSeparator());
        before = indent;
        used = 0;
      }
      folded.append(before).append(word);
      used += cells(before) + cells(word);
      before = " ";
    }
    folded.append(System.lineSeparator());
  }

  /** Returns where in a line is the letter that is at {@code place} without the colors. */
  private static int withStyles(String line, int place) {
    Matcher style = STYLE.matcher(line);
    int at = 0;
    int plain = 0;
    while (plain < place) {
      boolean isStyle = style.region(at, line.length()).lookingAt();
      at = isStyle ? style.end() : at + 1;
      plain += isStyle ? 0 : 1;
    }
    return at;
  }

  /** Returns the width of text, of which colors are no part. */
  private static int cells(String text) {
    return Cells.of(STYLE.matcher(text).replaceAll(""));
  }
}
