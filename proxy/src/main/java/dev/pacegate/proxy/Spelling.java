package dev.pacegate.proxy;

import java.util.Collection;
import java.util.Comparator;

/** What a word that is not known was meant to be. */
final class Spelling {

  private Spelling() {}

  /** Returns the end of a message: the word that is meant, or all words there are. */
  static String advice(String word, Collection<String> known) {
    return known.stream()
        .filter(other -> distance(word, other) <= most(other))
        .min(Comparator.comparingInt(other -> distance(word, other)))
        .map(meant -> "; did you mean \"" + meant + "\"?")
        .orElseGet(() -> "; allowed: " + String.join(", ", known));
  }

  /** Two letters in the wrong order are two mistakes. */
  private static int most(String word) {
    return word.length() < 4 ? 1 : Math.max(2, word.length() / 3);
  }

  /** Returns how many letters must be added, dropped or changed to make one word the other. */
  private static int distance(String one, String other) {
    int[] row = new int[other.length() + 1];
    for (int j = 0; j <= other.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int changed = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(changed, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[other.length()];
  }
}
