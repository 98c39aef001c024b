package dev.pacegate.cli;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.LimitFormatException;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import dev.pacegate.simulator.Rule;
import dev.pacegate.simulator.estimate.EstimateAtMost;
import dev.pacegate.time.Durations;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The limit of a command: its first argument, and any number of -l options. */
final class LimitArgument implements OptionGroup {

  /** The clock of a peer that estimates, in the words of {@code simulate}. */
  private static final Pattern GRAIN = Pattern.compile(",\\s*clock-grain\\s*=([^,()]*)");

  private @Nullable String first;
  private List<String> others = new ArrayList<>();

  @Override
  public void addTo(CommandOptions options) {
    options
        .parameter(
            0,
            "LIMIT",
            "such as '10/1m' or 'bucket(100/1s, burst=20)': see pacegate limits",
            text -> first = text)
        .texts(
            "-l, --limit",
            "LIMIT",
            "another limit; may be repeated, all of them hold",
            texts -> others = texts);
  }

  /** Takes the first argument for something else, if there is one: no limit is asked for. */
  @Nullable String firstWithoutLimit(String option) throws Failure {
    if (!others.isEmpty() || (first != null && isLimit(first) && !Files.exists(Path.of(first)))) {
      throw new Failure(option + " takes no limit: it looks for them");
    }
    return first;
  }

  /** Returns whether a text is a limit. */
  static boolean isLimit(String text) {
    try {
      Limit unused = Limits.parse(text);
      return true;
    } catch (LimitFormatException not) {
      return false;
    }
  }

  /**
   * Checks that the first argument is a limit, and no file, if one of those behind it is.
   *
   * @param behind the other arguments
   */
  void checkIsBefore(List<String> behind) throws Failure {
    if (first == null || isLimit(first) || !new File(first).exists()) {
      return;
    }
    for (String other : behind) {
      if (isLimit(other)) {
        throw new Failure("LIMIT comes first: " + other + " " + first);
      }
    }
  }

  boolean isGiven() {
    return first != null || !others.isEmpty();
  }

  /** Returns the combination of all limits given. */
  Limit limit() throws Failure {
    List<String> texts = texts();
    Limit limit = parse(texts.get(0));
    for (String text : texts.subList(1, texts.size())) {
      limit = limit.and(parse(text));
    }
    return limit;
  }

  /** Returns all limits as they were given. */
  List<String> texts() throws Failure {
    var texts = new ArrayList<>(others);
    if (first != null) {
      texts.add(0, first);
    }
    if (texts.isEmpty()) {
      throw new Failure("no LIMIT is given, such as 10/1m: see pacegate limits");
    }
    return texts;
  }

  /**
   * Returns the promises of all limits given, and of peers that estimate: {@code estimated(10/1s)},
   * or {@code estimated(100/10s, clock-grain=1s)} for one with a coarse clock.
   */
  List<Promise> promises() throws Failure {
    var promises = new ArrayList<Promise>();
    for (String text : texts()) {
      if (text.contains("estimated(")) {
        promises.add(estimated(text.strip()));
      } else {
        promises.addAll(parse(text).promises());
      }
    }
    return promises;
  }

  /** Prints what is allowed in the limits given but hardly meant. */
  void warn(World world) throws Failure {
    for (String text : texts()) {
      if (!text.contains("estimated(")) {
        parse(text).warnings().forEach(world::say);
      }
    }
  }

  private static Promise estimated(String text) throws Failure {
    if (text.contains("&")) {
      throw new Failure("estimated(…) stands alone; add other limits by -l: " + text);
    }
    Matcher grain = GRAIN.matcher(text);
    String rest = grain.replaceFirst(""); // a second one is refused as unknown
    try {
      if (Rule.parse(rest) instanceof Rule.Estimated rule && rule.phase() < 0) {
        EstimateAtMost exact = EstimateAtMost.of(rule.rate());
        return grain.reset().find()
            ? exact.withGrain(Durations.parseNanos(grain.group(1).strip()))
            : exact;
      }
    } catch (IllegalArgumentException e) {
      throw new Failure(e.getMessage());
    }
    throw new Failure("every phase is tried, so none can be given: " + text);
  }

  /** As {@link #limit}, refusing a limit of a named cost, which these commands do not have. */
  Limit limitOfPlainCosts() throws Failure {
    return ofPlainCosts(limit());
  }

  static Limit ofPlainCosts(Limit limit) throws Failure {
    for (Promise promise : limit.promises()) {
      if (promise.of().entry() == Measure.Entry.NAMED) {
        throw new Failure(
            "no request here has a cost of "
                + promise.of().name()
                + ": "
                + limit
                + " cannot be kept");
      }
    }
    return limit;
  }

  static Limit parse(String text) throws Failure {
    try {
      return Limits.parse(text);
    } catch (LimitFormatException e) {
      throw new Failure(problem(e));
    }
  }

  /** Returns the problem, without the advice for users of the library. */
  static String problem(LimitFormatException e) {
    return String.valueOf(e.getMessage()).replace(" (to stop everything, use pause())", "");
  }

  /** Returns {@code limit} as the peer counts it, unless it states how it counts. */
  static Limit asPeerCounts(Limit limit) throws Failure {
    try {
      return limit.asPeerCounts();
    } catch (IllegalArgumentException e) {
      throw new Failure(e.getMessage() + " (or write starts(...))");
    }
  }
}
