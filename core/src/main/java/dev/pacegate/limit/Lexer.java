package dev.pacegate.limit;

/** Splits the text of a limit into words and signs, and reports where and why it is wrong. */
final class Lexer {

  private static final String SIGNS = "&(),=/";

  private final String text;
  private int start;
  private int end;

  Lexer(String text) {
    this.text = text;
    next();
  }

  /** Returns the present token: a word, a sign, or an empty string at the end. */
  String token() {
    return text.substring(start, end);
  }

  boolean atEnd() {
    return start == text.length();
  }

  boolean isWord() {
    return !atEnd() && SIGNS.indexOf(text.charAt(start)) < 0;
  }

  /** Moves on if the present token is {@code sign}. */
  boolean skip(String sign) {
    if (!token().equals(sign)) {
      return false;
    }
    next();
    return true;
  }

  void expect(String sign, String role) {
    if (!skip(sign)) {
      throw expected("\"" + sign + "\" " + role);
    }
  }

  /** Returns the present word and moves on. */
  String word(String expected) {
    if (!isWord()) {
      throw expected(expected);
    }
    String word = token();
    next();
    return word;
  }

  /** Returns all up to the next comma, bracket or blank, whatever signs it contains. */
  String value(String expected) {
    while (end > start && end < text.length() && isValuePart(text.charAt(end))) {
      end++;
    }
    String value = token();
    if (value.isEmpty() || !isValuePart(value.charAt(0))) {
      throw expected(expected);
    }
    next();
    return value;
  }

  private static boolean isValuePart(char c) {
    return !Character.isWhitespace(c) && c != ',' && c != ')';
  }

  int position() {
    return start;
  }

  LimitFormatException expected(String what) {
    String found = atEnd() ? "the text ends" : "found \"" + token() + "\"";
    return wrong(start, "expected " + what + ", " + found);
  }

  LimitFormatException wrong(int position, String problem) {
    return new LimitFormatException(text, position, problem);
  }

  private void next() {
    start = end;
    while (start < text.length() && Character.isWhitespace(text.charAt(start))) {
      start++;
    }
    end = start;
    if (start < text.length() && SIGNS.indexOf(text.charAt(start)) >= 0) {
      end++;
      return;
    }
    while (end < text.length() && isWordPart(text.charAt(end))) {
      end++;
    }
  }

  private static boolean isWordPart(char c) {
    return !Character.isWhitespace(c) && SIGNS.indexOf(c) < 0;
  }
}
