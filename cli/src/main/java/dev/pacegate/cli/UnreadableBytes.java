package dev.pacegate.cli;

import static java.nio.charset.CodingErrorAction.REPORT;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;

/**
 * Text that keeps apart what differs only in bytes that are no UTF-8. Only a text that has such an
 * escape itself, as nginx writes these bytes, is taken for the same.
 */
final class UnreadableBytes {

  private static final char REPLACEMENT = '\uFFFD';

  private UnreadableBytes() {}

  /** Returns bytes as text, with {@code \xFC} for each byte that is no part of a character. */
  static String escaped(byte[] bytes, int from, int length) {
    String text = new String(bytes, from, length, UTF_8);
    if (text.indexOf(REPLACEMENT) < 0) {
      return text;
    }
    CharsetDecoder decoder = UTF_8.newDecoder().onMalformedInput(REPORT);
    var in = ByteBuffer.wrap(bytes, from, length);
    var letters = CharBuffer.allocate(length);
    var escaped = new StringBuilder();
    CoderResult result;
    do {
      result = decoder.decode(in, letters, true);
      escaped.append(letters.flip());
      letters.clear();
      for (int i = 0; result.isError() && i < result.length(); i++) {
        escaped.append(String.format("\\x%02X", in.get()));
      }
    } while (result.isError());
    return escaped.toString();
  }
}
