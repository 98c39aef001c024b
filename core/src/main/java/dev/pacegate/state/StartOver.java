package dev.pacegate.state;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.LimitFormatException;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.Durations;
import java.util.ArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How to go on without a state file that cannot be read, so that the limit is kept. */
final class StartOver {

  private StartOver() {}

  /** Returns what the user can do, for a message. */
  static String advice(Limit limit) {
    if (limit.memory() == 0) {
      return "to start over, delete it";
    }
    String spent = spent(limit);
    return spent == null
        ? "to start over, delete it no earlier than "
            + Durations.decimal(limit.memory())
            + " after the last request"
        : "to start over, delete it and begin with the limit '" + spent + "'";
  }

  /** Returns the text of a limit that begins spent; null if the grammar has none. */
  private static @Nullable String spent(Limit limit) {
    var texts = new ArrayList<String>();
    for (Limit term : limit.terms()) {
      String text = term.memory() == 0 ? term.toString() : spentTerm(term.toString());
      if (text == null) {
        return null;
      }
      texts.add(text);
    }
    return String.join(" & ", texts);
  }

  /** Asks the grammar, so that this need not know which limit has the option. */
  private static @Nullable String spentTerm(String term) {
    String text = term.replaceAll(", initial=[a-z]+", "");
    return Stream.of(
            text.replaceAll("\\)$", ", initial=spent)"), "starts(" + text + ", initial=spent)")
        .filter(candidate -> !candidate.equals(text) && isLimit(candidate))
        .findFirst()
        .orElse(null);
  }

  private static boolean isLimit(String text) {
    try {
      return !Limits.parse(text).terms().isEmpty();
    } catch (LimitFormatException none) {
      return false;
    }
  }
}
