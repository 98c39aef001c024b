package dev.pacegate.proxy;

/** Reads {@code header:NAME}: what is found in a header of each request. */
final class HeaderValue {

  private static final String PREFIX = "header:";

  private HeaderValue() {}

  static boolean isOne(String text) {
    return text.startsWith(PREFIX);
  }

  /** Returns the name of the header. */
  static String nameIn(ConfigNode node, String what) {
    String text = node.text(what);
    if (!isOne(text)) {
      throw node.wrong(what + " must be header:NAME, such as header:X-Api-Key");
    }
    String name = text.substring(PREFIX.length());
    if (!HeaderKey.isName(name)) {
      throw node.wrong(what + ": no header can have the name '" + name + "'");
    }
    return name;
  }
}
