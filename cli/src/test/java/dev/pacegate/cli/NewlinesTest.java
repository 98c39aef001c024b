package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Newlines are found where a loop over bytes finds them. */
class NewlinesTest {

  private static int oneByOne(byte[] bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes[i] == '\n') {
        return i + 1;
      }
    }
    return -1;
  }

  @Test
  void findsTheFirstNewlineBetweenAnyTwoPlaces() {
    long seed = new Random().nextLong();
    var random = new Random(seed);
    // These differ from a newline in one bit, in its sign, or by what a borrow leaves.
    byte[] alphabet = "\n\u000b\u008a\u0009\u0000\u0001\u0080\u00ff\u0008xy".getBytes(ISO_8859_1);
    for (int run = 0; run < 2000; run++) {
      var bytes = new byte[random.nextInt(40)];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = alphabet[random.nextInt(alphabet.length)];
      }
      for (int from = 0; from <= bytes.length; from++) {
        int to = from + random.nextInt(bytes.length - from + 1);
        assertEquals(
            oneByOne(bytes, from, to), Newlines.behindNext(bytes, from, to), "seed " + seed);
      }
    }
  }
}
