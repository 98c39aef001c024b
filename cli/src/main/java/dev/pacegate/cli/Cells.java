package dev.pacegate.cli;

import java.util.Arrays;

/**
 * How many cells of a terminal text takes: two for a letter of China, Japan or Korea and for an
 * emoji, none for a mark that is put on the letter before it.
 *
 * <p>Terminals disagree about sequences of emoji and some symbols. What is not certain counts as
 * the wider, as a line that is too short can still be erased. Without control characters.
 */
final class Cells {

  /**
   * First and last of each range that is wide: W and F in Unicode's EastAsianWidth.txt (17.0),
   * where it can be in one with its neighbours. From 1F300 on blocks are whole.
   */
  private static final String WIDE =
      "1100-115f 231a-231b 2329-232a 23e9-23ec 23f0-23f0 23f3-23f3 25fd-25fe 2614-2615 2630-2637"
          + " 2648-2653 267f-267f 268a-268f 2693-2693 26a1-26a1 26aa-26ab 26bd-26be 26c4-26c5"
          + " 26ce-26ce 26d4-26d4 26ea-26ea 26f2-26f3 26f5-26f5 26fa-26fa 26fd-26fd 2705-2705"
          + " 270a-270b 2728-2728 274c-274c 274e-274e 2753-2755 2757-2757 2795-2797 27b0-27b0"
          + " 27bf-27bf 2b1b-2b1c 2b50-2b50 2b55-2b55 2e80-303e 3041-a4cf a960-a97f ac00-d7a3"
          + " f900-faff fe10-fe19 fe30-fe6f ff01-ff60 ffe0-ffe6 16fe0-18dff 1aff0-1b2ff 1d300-1d37f"
          + " 1f004-1f004 1f0cf-1f0cf 1f18e-1f18e 1f191-1f19a 1f200-1f64f 1f680-1f6ff 1f7e0-1f7f0"
          + " 1f900-1faff 20000-3fffd";

  /** The first code point of each range, and the first behind it. */
  private static final int[] BOUNDS =
      Arrays.stream(WIDE.split(" ", -1))
          .flatMap(range -> Arrays.stream(bounds(range.split("-", -1))).boxed())
          .mapToInt(Integer::intValue)
          .toArray();

  private static final int EMOJI_FORM = 0xfe0f; // makes the symbol before it as wide as an emoji

  private Cells() {}

  private static int[] bounds(String... range) {
    return new int[] {Integer.parseInt(range[0], 16), Integer.parseInt(range[1], 16) + 1};
  }

  /** Returns the width of {@code text}. */
  static int of(String text) {
    int all = 0;
    int last = 0;
    for (int at = 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
      last = width(text.codePointAt(at), last);
      all += last;
    }
    return all;
  }

  /** Returns as much of the beginning of {@code text} as fits into {@code most} cells. */
  static String cut(String text, int most) {
    int all = 0;
    int last = 0;
    int at = 0;
    while (at < text.length()) {
      int letter = text.codePointAt(at);
      last = width(letter, last);
      all += last;
      if (all > most) {
        return text.substring(0, at);
      }
      at += Character.charCount(letter);
    }
    return text;
  }

  /** Returns {@code text}, or as much of it as fits with a sign that there is more. */
  static String shortened(String text, int most) {
    return of(text) <= most ? text : cut(text, most - 1) + "…";
  }

  private static int width(int letter, int before) {
    if (letter < 0x300) {
      return 1;
    } else if (letter == EMOJI_FORM) {
      return before == 1 ? 1 : 0;
    } else if (isMark(letter)) {
      return 0;
    }
    int found = Arrays.binarySearch(BOUNDS, letter);
    int boundsUpTo = found >= 0 ? found + 1 : -found - 1;
    return boundsUpTo % 2 == 1 ? 2 : 1;
  }

  private static boolean isMark(int letter) {
    int type = Character.getType(letter);
    return type == Character.NON_SPACING_MARK
        || type == Character.ENCLOSING_MARK
        || type == Character.FORMAT;
  }
}
