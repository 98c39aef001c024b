package dev.pacegate.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Addresses of clients as logs write them. */
final class Addresses {

  private static final int LONGEST_GROUP = 4; // digits

  private static final String QUAD = "[0-9]{1,3}([.][0-9]{1,3}){3}";
  private static final String GROUP = "[0-9A-Fa-f]{1,4}";
  private static final String GROUPS = "(" + GROUP + "(:" + GROUP + "){0,6})?";
  private static final String EIGHT_GROUPS = "(" + GROUP + ":){7}" + GROUP;
  private static final String SHORT = GROUPS + "::" + GROUPS;

  /** An address that no further group can belong to. */
  private static final Pattern COMPLETE =
      Pattern.compile(
          QUAD
              + ("|" + GROUPS + "::(" + GROUP + ":){0,5}" + QUAD)
              + ("|" + EIGHT_GROUPS + "(%[^:]+)?")
              + ("|" + SHORT + "%[^:]+"));

  /** An address whose zeros are left out, which another group may belong to. */
  private static final Pattern SHORTENED = Pattern.compile(SHORT);

  /** A column is trimmed, so the first bracket may be gone. */
  private static final Pattern BRACKETED = Pattern.compile("\\[?([^\\[\\]]*)](:[0-9]{1,5})?");

  private static final Pattern WITH_PORT = Pattern.compile("(.*):([0-9]{1,5})");

  private Addresses() {}

  /**
   * Returns an address without its port, as each connection has another; any other text as it is.
   *
   * @param hasPort whether an address is likely to have one. If not, the last group of a shortened
   *     address is taken for a port only if it is longer than a group can be
   */
  static String withoutPort(String text, boolean hasPort) {
    Matcher bracketed = BRACKETED.matcher(text);
    if (bracketed.matches()) {
      String address = bracketed.group(1);
      return isComplete(address) || isShortened(address) ? address : text;
    }
    Matcher split = WITH_PORT.matcher(text);
    if (!split.matches()) {
      return text;
    }
    String address = split.group(1);
    boolean isPort = hasPort || split.group(2).length() > LONGEST_GROUP;
    return isComplete(address) || (isPort && isShortened(address)) ? address : text;
  }

  private static boolean isComplete(String text) {
    return COMPLETE.matcher(text).matches();
  }

  private static boolean isShortened(String text) {
    return SHORTENED.matcher(text).matches();
  }
}
