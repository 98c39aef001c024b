package dev.pacegate.cli;

/** Addresses of clients as logs write them. */
final class Addresses {

  private static final int LONGEST_PORT = 5;

  private Addresses() {}

  /**
   * Returns an address without its port, as each connection has another; any other text as it is. A
   * port is known behind {@code 10.0.0.7} or a bracket only.
   */
  static String withoutPort(String text) {
    int colon = text.lastIndexOf(':');
    int digits = text.length() - colon - 1;
    if (colon < 1 || digits < 1 || digits > LONGEST_PORT || !isNumber(text, colon + 1)) {
      return text;
    } else if (text.charAt(colon - 1) == ']') {
      return text.substring(0, colon - 1);
    }
    return endsInQuad(text, colon) ? text.substring(0, colon) : text;
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
