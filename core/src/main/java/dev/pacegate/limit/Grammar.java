package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.Durations;
import java.util.ArrayList;
import java.util.List;

/**
 * The text form of limits.
 *
 * <pre>
 * limit    := term { ("&amp;" | "and") term }
 * term     := rate [ "of" name ] | name [ "(" argument { "," key "=" value } ")" ] [ "of" name ]
 * rate     := integer "/" duration          duration := 1m, 100ms, 1h30m, s (one second)
 * </pre>
 *
 * <p>No lambda, stream or map of an enum is on the way of a usual text: each would load a hundred
 * classes for the first limit of a process.
 */
final class Grammar {

  private static final String TERM =
      "a rate such as 10/1m, or one of bucket, warmup, spacing, fixed, aligned, concurrent, peer,"
          + " starts, unlimited";

  /** Far more than makes sense, and far less than the stack has room for. */
  private static final int MOST_LEVELS = 100;

  private static final long MINUTE = CalendarLength.HOUR / 60;
  private static final long SHORTEST_DAY = CalendarLength.DAY - CalendarLength.HOUR;

  private final Lexer in;
  private int levels;

  private Grammar(String text) {
    this.in = new Lexer(text);
  }

  static List<LimitForm> forms() {
    return List.of(
        form("M/I", "10/1m", List.of()),
        form("M/I of NAME", "90000/1m of tokens", List.of()),
        form("bucket(M/I, ...)", "bucket(100/1s, burst=20)", Option.IN_BUCKET),
        form("warmup(M/I, over=D, ...)", "warmup(2/1s, over=3s)", Option.IN_WARMUP),
        form("spacing(G)", "spacing(100ms)", List.of()),
        form("fixed(M/I, ...)", "fixed(3/1s)", Option.IN_FIXED),
        form("aligned(M/I, ...)", "aligned(1200/1m)", Option.IN_ALIGNED),
        form("concurrent(N)", "concurrent(4)", Option.IN_CONCURRENT),
        form("concurrent(N) of NAME", "concurrent(1000) of mb", Option.IN_CONCURRENT),
        form("peer(LIMIT, ...)", "peer(10/1m)", Option.IN_PEER),
        form("starts(LIMIT, ...)", "starts(10/1m)", Option.IN_STARTS),
        form("LIMIT & LIMIT", "10/1s & 200/1m", List.of()),
        form("unlimited", "unlimited", List.of()));
  }

  private static LimitForm form(String syntax, String example, List<Option> keys) {
    return new LimitForm(syntax, example, keys.stream().map(Option::option).toList());
  }

  static Limit parse(String text) {
    return new Grammar(text).whole();
  }

  private Limit whole() {
    Limit limit = limit();
    if (!in.atEnd()) {
      throw in.expected("\"&\" or the end");
    }
    return limit;
  }

  private Limit limit() {
    var terms = new ArrayList<Limit>(List.of(term()));
    while (in.skip("&") || in.skip("and")) {
      terms.add(term());
    }
    return terms.size() == 1 ? terms.get(0) : new All(terms);
  }

  private Limit term() {
    int position = in.position();
    String word = in.word(TERM);
    if (startsNumber(word)) {
      Rate rate = rate(position, word);
      return in.skip("of") ? new Window(rate, measure()) : Window.of(rate);
    }
    try {
      return named(position, word);
    } catch (LimitFormatException wrong) {
      throw wrong;
    } catch (IllegalArgumentException outOfRange) {
      throw in.wrong(position, String.valueOf(outOfRange.getMessage()));
    }
  }

  private Limit named(int position, String word) {
    return switch (word) {
      case "bucket" -> bucket(position);
      case "warmup" -> warmup(position);
      case "spacing" -> spacing(position);
      case "fixed" -> fixed(position);
      case "aligned" -> aligned(position);
      case "concurrent" -> concurrent(position);
      case "peer" -> peer(position);
      case "starts" -> starts(position);
      case "unlimited" -> unlimited();
      default -> throw in.wrong(position, "there is no limit \"" + word + "\", expected " + TERM);
    };
  }

  private Limit bucket(int position) {
    begin(position);
    Rate rate = rate();
    OptionValues options = end(Option.IN_BUCKET);
    Bucket bucket =
        new Bucket(
            rate,
            options.integer(Option.BURST, 1),
            0,
            options.nanos(Option.SLACK, 0),
            options.initial(),
            options.oversize(),
            options.measure());
    if (!options.paysLater()) {
      options.refuse(Option.DEBT, "debt needs pay=later");
      return bucket;
    }
    options.refuse(
        Option.OVERSIZE,
        "oversize needs pay=now: with pay=later a cost above burst + debt is refused");
    return bucket.payLater(options.integer(Option.DEBT, bucket.burst()));
  }

  private Limit warmup(int position) {
    begin(position);
    Rate rate = rate();
    OptionValues options = end(Option.IN_WARMUP);
    return new Warmup(
        rate,
        options.nanos(Option.OVER),
        options.integer(Option.COLD, Warmup.USUAL_COLD),
        options.nanos(Option.SLACK, 0),
        options.measure());
  }

  private Limit spacing(int position) {
    begin(position);
    int gap = in.position();
    long nanos = nanos(gap, in.word("a gap such as 100ms"));
    end(List.of());
    return new Spacing(nanos);
  }

  private Limit fixed(int position) {
    begin(position);
    Rate rate = rate();
    return new Fixed(rate, end(Option.IN_FIXED).measure());
  }

  private Limit aligned(int position) {
    begin(position);
    int rate = in.position();
    long max = integer(rate, in.word("a rate such as 1200/1m"));
    in.expect("/", "and a window, as in " + orUsual(max, 1200, SHORTEST_DAY) + "/1d");
    int window = in.position();
    CalendarLength length = calendarLength(window, in.word("a window such as 1m, 1d, 1w, 1mo"));
    OptionValues options = end(Option.IN_ALIGNED);
    return new Aligned(
        max,
        new CalendarWindows(length, options.zone(), options.beginning(length), options.origin()),
        options.measure(),
        options.nanos(Option.MARGIN, Aligned.MARGIN),
        options.nanos(Option.UNANSWERED, Peer.UNANSWERED),
        options.nanos(Option.ABANDON, Meter.NEVER),
        options.spent());
  }

  private Limit concurrent(int position) {
    begin(position);
    int most = in.position();
    long max = integer(most, in.word("how many"));
    OptionValues options = end(Option.IN_CONCURRENT);
    var calls =
        new Concurrent(
            max,
            Measure.CALLS,
            options.nanos(Option.UNANSWERED, 0),
            options.nanos(Option.ABANDON, Meter.NEVER));
    return in.skip("of") ? calls.of(measure()) : calls;
  }

  private Limit peer(int position) {
    begin(position);
    Limit limit = limit();
    OptionValues options = end(Option.IN_PEER);
    boolean headers = options.is(Option.COUNTED, Peer.HEADERS);
    boolean counted = !headers && options.has(Option.COUNTED);
    if (counted) {
      options.refuse(
          Option.UNANSWERED, "counted says how long after its start a lost request counts, too");
    }
    return Peer.each(
        limit,
        options.nanos(counted ? Option.COUNTED : Option.UNANSWERED, Peer.UNANSWERED),
        counted,
        headers,
        options.nanos(Option.ABANDON, Meter.NEVER),
        options.margin(),
        options.spent());
  }

  private Limit starts(int position) {
    begin(position);
    Limit limit = limit();
    return new Starts(limit, end(Option.IN_STARTS).spent());
  }

  private Limit unlimited() {
    if (in.skip("(")) {
      in.expect(")", "(unlimited takes no arguments)");
    }
    return Unlimited.INSTANCE;
  }

  /** Begins the arguments of the limit whose name is at {@code position}. */
  private void begin(int position) {
    in.expect("(", "and an argument");
    levels++;
    if (levels > MOST_LEVELS) {
      throw in.wrong(position, "limits may be nested at most " + MOST_LEVELS + " levels deep");
    }
  }

  /** Reads the options after the first argument, and the end of the arguments. */
  private OptionValues end(List<Option> keys) {
    levels--;
    var options = new OptionValues(this, in);
    while (!keys.isEmpty() && in.skip(",")) {
      options.read(keys);
    }
    in.expect(")", keys.isEmpty() ? "at the end" : "or \",\" at the end of the arguments");
    return options;
  }

  private Rate rate() {
    int position = in.position();
    return rate(position, in.word("a rate such as 10/1m"));
  }

  private Rate rate(int position, String count) {
    long permits = integer(position, count);
    in.expect("/", "and an interval, as in " + orUsual(permits, 10, MINUTE) + "/1m");
    int interval = in.position();
    String span = in.word("an interval such as 1s, 1m, 1h");
    try {
      long nanos = Durations.parseNanos(span);
      return new Rate(permits, nanos);
    } catch (IllegalArgumentException wrong) {
      throw in.wrong(permits < 1 ? position : interval, String.valueOf(wrong.getMessage()));
    }
  }

  /** Returns {@code count} for an example that must be right: 1 to {@code most}. */
  private static long orUsual(long count, long usual, long most) {
    return count >= 1 && count <= most ? count : usual;
  }

  long nanos(int position, String word) {
    try {
      return Durations.parseNanos(word);
    } catch (IllegalArgumentException wrong) {
      throw in.wrong(position, String.valueOf(wrong.getMessage()));
    }
  }

  private CalendarLength calendarLength(int position, String word) {
    try {
      return CalendarLength.parse(word);
    } catch (IllegalArgumentException wrong) {
      throw in.wrong(position, String.valueOf(wrong.getMessage()));
    }
  }

  long integer(int position, String word) {
    String digits = word.replace("_", "");
    try {
      if (isInteger(digits)) {
        return Long.parseLong(digits);
      }
    } catch (NumberFormatException tooLarge) {
      throw in.wrong(position, "the number " + word + " is too large, at most " + Long.MAX_VALUE);
    }
    if (digits.matches("\\d+[.]\\d+")) {
      String hint = in.skip("/") ? "; use a longer interval (1/2s, not 0.5/1s)" : "";
      throw in.wrong(position, "decimals are not allowed: \"" + word + '"' + hint);
    }
    throw in.wrong(position, "expected a whole number, found \"" + word + "\"");
  }

  /** Looks at each: a pattern would load all of regular expressions for the first limit. */
  private static boolean isInteger(String text) {
    int first = text.startsWith("-") ? 1 : 0;
    for (int i = first; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return first < text.length();
  }

  private Measure measure() {
    int position = in.position();
    return measure(position, in.word("the name of a cost"));
  }

  Measure measure(int position, String word) {
    try {
      return Measure.of(word);
    } catch (IllegalArgumentException wrong) {
      throw in.wrong(position, String.valueOf(wrong.getMessage()));
    }
  }

  private static boolean startsNumber(String word) {
    char c = word.charAt(0);
    return Character.digit(c, 10) >= 0 || c == '-' || c == '.' || c == '+';
  }
}
