package dev.pacegate.cli;

import java.util.regex.Pattern;

/** Addresses of clients as logs write them. */
final class Addresses {

  private static final int LONGEST_PORT = 5;
  private static final int LONGEST_GROUP = 4;
  private static final Pattern EIGHT_GROUPS =
      Pattern.compile("([0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}");
  private static final Pattern SHORTENED = Pattern.compile(EIGHT_GROUPS + "|(?=.*::)[0-9A-Fa-f:]+");

  private Addresses() {}

  /**
   * Returns an address without its port, as each connection has another; any other text as it is.
   *
   * @param hasPort whether an address is known to have one. If not, a port is told from the last
   *     group of an address only behind {@code 10.0.0.7}, a bracket or eight groups, or if it is
   *     longer than a group can be
   */
  static String withoutPort(String text, boolean hasPort) {
    int colon = text.lastIndexOf(':');
    int digits = text.length() - colon - 1;
    if (colon < 1 || digits < 1 || digits > LONGEST_PORT || !isNumber(text, colon + 1)) {
      return text;
    } else if (text.charAt(colon - 1) == ']') {
      return text.substring(text.charAt(0) == '[' ? 1 : 0, colon - 1);
    }
    String address = text.substring(0, colon);
    boolean isPort = hasPort || endsInQuad(text, colon) || isBehindSix(address, digits);
    return isPort ? address : text;
  }

  private static boolean isBehindSix(String address, int digits) {
    return digits > LONGEST_GROUP
        ? SHORTENED.matcher(address).matches()
        : EIGHT_GROUPS.matcher(address).matches();
  }

  private static boolean isNumber(String text, int from) {
    return text.chars().skip(from).allMatch(c -> c >= '0' && c <= '9');
  }

  private static boolean endsInQuad(String text, int end) {
    int dots = 0;
    for (int at = end - 1; at >= 0 && text.charAt(at) != ':'; at--) {
      char c = text.charAt(at);
      if (c != '.' && (c < '0' || c > '9')) {
        return false;
      }
      dots += c == '.' ? 1 : 0;
    }
    return dots == 3;
  }
}
