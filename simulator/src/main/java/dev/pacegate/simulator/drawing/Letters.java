package dev.pacegate.simulator.drawing;

import java.util.ArrayList;
import java.util.List;

/**
 * The width of text, which SVG cannot tell: that of DejaVu Sans, the widest of the fonts that
 * drawings ask for, in thousandths of the letters' size.
 */
public final class Letters {

  private static final char FIRST = ' ';
  private static final int OTHER = 1000;

  private static final int[] PLAIN = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, // to /
    636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, // to ?
    1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787, // to O
    603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, // to _
    500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, // to o
    635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838
  };

  private static final int[] BOLD = {
    348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365, // to /
    696, 696, 696, 696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 580, // to ?
    1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 372, 775, 637, 995, 837, 850, // to O
    733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 500, // to _
    500, 675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687, // to o
    716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838
  };

  private Letters() {}

  /** Returns the width of {@code words} in letters of size 1. */
  static double width(String words, boolean bold) {
    int[] widths = bold ? BOLD : PLAIN;
    return words.chars().mapToLong(c -> isKnown(c) ? widths[c - FIRST] : OTHER).sum() / 1000.0;
  }

  private static boolean isKnown(int c) {
    return c >= FIRST && c - FIRST < PLAIN.length;
  }

  /** Breaks {@code words} at blanks into lines that are no wider than {@code width}, if it can. */
  public static List<String> lines(Pen pen, String words, double width) {
    var lines = new ArrayList<String>();
    var line = new StringBuilder();
    for (String word : words.split(" ", -1)) {
      if (line.length() > 0 && pen.width(line + " " + word) > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.length() == 0 ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return lines;
  }
}
