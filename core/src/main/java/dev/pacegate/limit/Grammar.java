package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.Durations;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The text form of limits.
 *
 * <pre>
 * limit    := term { ("&amp;" | "and") term }
 * term     := rate [ "of" name ] | name [ "(" argument { "," key "=" value } ")" ] [ "of" name ]
 * rate     := integer "/" duration          duration := 1m, 100ms, 1h30m, s (one second)
 * </pre>
 */
final class Grammar {

  // Lists: a set of an enum asks it for its constants by reflection, which loads much.
  private static final List<Option> BUCKET =
      List.of(
          Option.BURST,
          Option.PAY,
          Option.DEBT,
          Option.SLACK,
          Option.INITIAL,
          Option.OVERSIZE,
          Option.OF);
  private static final List<Option> WARMUP =
      List.of(Option.OVER, Option.COLD, Option.SLACK, Option.OF);
  private static final List<Option> PEER =
      List.of(Option.UNANSWERED, Option.COUNTED, Option.ABANDON, Option.MARGIN, Option.INITIAL);
  private static final List<Option> CONCURRENT = List.of(Option.UNANSWERED, Option.ABANDON);
  private static final List<Option> STARTS = List.of(Option.INITIAL);
  private static final List<Option> FIXED = List.of(Option.OF);
  private static final List<Option> ALIGNED =
      List.of(
          Option.ZONE,
          Option.AT,
          Option.ORIGIN,
          Option.MARGIN,
          Option.UNANSWERED,
          Option.ABANDON,
          Option.INITIAL,
          Option.OF);
  private static final List<Option> NONE = List.of();

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
        form("M/I", "10/1m", NONE),
        form("M/I of NAME", "90000/1m of tokens", NONE),
        form("bucket(M/I, ...)", "bucket(100/1s, burst=20)", BUCKET),
        form("warmup(M/I, over=D, ...)", "warmup(2/1s, over=3s)", WARMUP),
        form("spacing(G)", "spacing(100ms)", NONE),
        form("fixed(M/I, ...)", "fixed(3/1s)", FIXED),
        form("aligned(M/I, ...)", "aligned(1200/1m)", ALIGNED),
        form("concurrent(N)", "concurrent(4)", CONCURRENT),
        form("concurrent(N) of NAME", "concurrent(1000) of mb", CONCURRENT),
        form("peer(LIMIT, ...)", "peer(10/1m)", PEER),
        form("starts(LIMIT, ...)", "starts(10/1m)", STARTS),
        form("LIMIT & LIMIT", "10/1s & 200/1m", NONE),
        form("unlimited", "unlimited", NONE));
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
    return switch (word) {
      case "bucket" -> call(position, this::rate, BUCKET, Grammar::bucket);
      case "warmup" -> call(position, this::rate, WARMUP, Grammar::warmup);
      case "spacing" ->
          call(position, () -> nanos("a gap such as 100ms"), NONE, (gap, o) -> new Spacing(gap));
      case "fixed" -> call(position, this::rate, FIXED, (rate, o) -> new Fixed(rate, o.measure()));
      case "aligned" -> call(position, this::alignedRate, ALIGNED, Grammar::aligned);
      case "concurrent" -> concurrent(position);
      case "peer" -> call(position, this::limit, PEER, Grammar::peer);
      case "starts" ->
          call(position, this::limit, STARTS, (limit, o) -> new Starts(limit, o.spent()));
      case "unlimited" -> unlimited();
      default -> throw in.wrong(position, "there is no limit \"" + word + "\", expected " + TERM);
    };
  }

  private Limit unlimited() {
    if (in.skip("(")) {
      in.expect(")", "(unlimited takes no arguments)");
    }
    return Unlimited.INSTANCE;
  }

  /** When a cost is paid. */
  private enum Pay {
    NOW,
    LATER
  }

  private static Limit bucket(Rate rate, OptionValues options) {
    Bucket bucket =
        new Bucket(
            rate,
            options.integer(Option.BURST, 1),
            0,
            options.nanos(Option.SLACK, 0),
            options.choice(Option.INITIAL, Bucket.Initial.USUAL, Bucket.Initial.USUAL),
            options.choice(Option.OVERSIZE, Bucket.Oversize.WAIT, null),
            options.measure());
    if (options.choice(Option.PAY, Pay.NOW, null) == Pay.NOW) {
      options.refuse(Option.DEBT, "debt needs pay=later");
      return bucket;
    }
    options.refuse(
        Option.OVERSIZE,
        "oversize needs pay=now: with pay=later a cost above burst + debt is refused");
    return bucket.payLater(options.integer(Option.DEBT, bucket.burst()));
  }

  private static Limit warmup(Rate rate, OptionValues options) {
    return new Warmup(
        rate,
        options.nanos(Option.OVER),
        options.integer(Option.COLD, Warmup.USUAL_COLD),
        options.nanos(Option.SLACK, 0),
        options.measure());
  }

  /** So many per window of the calendar. */
  private record AlignedRate(long max, CalendarLength length) {}

  private AlignedRate alignedRate() {
    int position = in.position();
    long max = integer(position, in.word("a rate such as 1200/1m"));
    in.expect("/", "and a window, as in " + orUsual(max, 1200, SHORTEST_DAY) + "/1d");
    int window = in.position();
    String length = in.word("a window such as 1m, 1d, 1w, 1mo");
    return new AlignedRate(max, read(window, length, CalendarLength::parse));
  }

  private static Limit aligned(AlignedRate rate, OptionValues options) {
    var length = rate.length();
    var windows =
        new CalendarWindows(
            length,
            options.value(Option.ZONE, ZoneId::of).orElse(ZoneOffset.UTC),
            options
                .value(Option.AT, text -> CalendarBeginning.parse(text, length))
                .orElse(CalendarBeginning.USUAL),
            options
                .value(Option.ORIGIN, text -> OffsetDateTime.parse(text).toInstant())
                .orElse(null));
    return new Aligned(
        rate.max(),
        windows,
        options.measure(),
        options.nanos(Option.MARGIN, Aligned.MARGIN),
        options.nanos(Option.UNANSWERED, Peer.UNANSWERED),
        options.nanos(Option.ABANDON, Meter.NEVER),
        options.spent());
  }

  private Limit concurrent(int position) {
    Concurrent calls =
        call(
            position,
            () -> integer("how many"),
            CONCURRENT,
            (max, options) ->
                new Concurrent(
                    max,
                    Measure.CALLS,
                    options.nanos(Option.UNANSWERED, 0),
                    options.nanos(Option.ABANDON, Meter.NEVER)));
    return in.skip("of") ? calls.of(measure()) : calls;
  }

  private static Limit peer(Limit limit, OptionValues options) {
    boolean headers = Peer.HEADERS.equals(options.values.get(Option.COUNTED));
    boolean counted = !headers && options.values.containsKey(Option.COUNTED);
    if (counted) {
      options.refuse(
          Option.UNANSWERED, "counted says how long after its start a lost request counts, too");
    }
    long bound = options.nanos(counted ? Option.COUNTED : Option.UNANSWERED, Peer.UNANSWERED);
    long abandon = options.nanos(Option.ABANDON, Meter.NEVER);
    Margin margin = options.margin();
    boolean spent = options.spent();
    return Peer.each(
        limit, term -> new Peer(term, bound, counted, headers, abandon, margin, spent));
  }

  /** Reads "(argument, key=value, ...)" and builds a limit of it. */
  private <A, L extends Limit> L call(
      int position, Supplier<A> argument, List<Option> keys, BiFunction<A, OptionValues, L> build) {
    in.expect("(", "and an argument");
    levels++;
    if (levels > MOST_LEVELS) {
      throw in.wrong(position, "limits may be nested at most " + MOST_LEVELS + " levels deep");
    }
    A first = argument.get();
    levels--;
    OptionValues options = options(keys);
    in.expect(")", keys.isEmpty() ? "at the end" : "or \",\" at the end of the arguments");
    try {
      return build.apply(first, options);
    } catch (LimitFormatException wrong) {
      throw wrong;
    } catch (IllegalArgumentException outOfRange) {
      throw in.wrong(position, String.valueOf(outOfRange.getMessage()));
    }
  }

  private OptionValues options(List<Option> keys) {
    var options = new OptionValues();
    while (!keys.isEmpty() && in.skip(",")) {
      int position = in.position();
      Option key = key(in.word("one of " + list(keys)), keys, position);
      in.expect("=", "and a value");
      if (options.values.containsKey(key)) {
        throw in.wrong(position, key.text() + " is given twice");
      }
      options.positions.put(key, in.position());
      options.values.put(key, in.value("a value for " + key.text() + ": " + key.range()));
    }
    return options;
  }

  private Option key(String word, List<Option> keys, int position) {
    for (Option key : keys) {
      if (key.text().equals(word)) {
        return key;
      }
    }
    throw in.wrong(position, "there is no option \"" + word + "\" here, expected " + list(keys));
  }

  private static String list(List<Option> keys) {
    return String.join(", ", keys.stream().map(Option::text).toList());
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

  private long nanos(String expected) {
    int position = in.position();
    return nanos(position, in.word(expected));
  }

  private long nanos(int position, String word) {
    return read(position, word, Durations::parseNanos);
  }

  /** Parses a word; an error is reported at its position. */
  private <T> T read(int position, String word, Function<String, T> reader) {
    try {
      return reader.apply(word);
    } catch (IllegalArgumentException wrong) {
      throw in.wrong(position, String.valueOf(wrong.getMessage()));
    }
  }

  private long integer(String expected) {
    int position = in.position();
    return integer(position, in.word(expected));
  }

  private long integer(int position, String word) {
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
    return read(position, in.word("the name of a cost"), Measure::of);
  }

  private static boolean startsNumber(String word) {
    char c = word.charAt(0);
    return Character.digit(c, 10) >= 0 || c == '-' || c == '.' || c == '+';
  }

  /** The options of one limit, read where they are needed. */
  private final class OptionValues {
    final Map<Option, String> values = new EnumMap<>(Option.class);
    final Map<Option, Integer> positions = new EnumMap<>(Option.class);

    long integer(Option key, long usual) {
      String value = values.get(key);
      return value == null ? usual : Grammar.this.integer(position(key), value);
    }

    /** Throws if {@code key} is given. */
    void refuse(Option key, String why) {
      if (values.containsKey(key)) {
        throw in.wrong(position(key), why);
      }
    }

    /** Reads a duration that must be given. */
    long nanos(Option key) {
      if (!values.containsKey(key)) {
        throw new IllegalArgumentException(key.text() + " is missing: " + key.meaning());
      }
      return nanos(key, 0);
    }

    long nanos(Option key, long usual) {
      return value(key, Durations::parseNanos).orElse(usual);
    }

    Measure measure() {
      return value(Option.OF, Measure::of).orElse(Measure.PLAIN);
    }

    /** Parses the value of {@code key}; an error is reported at its position. */
    <T> Optional<T> value(Option key, Function<String, T> reader) {
      String value = values.get(key);
      try {
        return value == null ? Optional.empty() : Optional.of(read(position(key), value, reader));
      } catch (DateTimeException wrong) {
        throw isNot(key, " is ");
      }
    }

    private LimitFormatException isNot(Option key, String is) {
      return in.wrong(
          position(key), key.text() + is + key.range() + ", not \"" + values.get(key) + '"');
    }

    /** Reads one of the constants of an enum, {@code hidden} excepted. */
    <E extends Enum<E>> E choice(Option key, E usual, @Nullable E hidden) {
      String value = values.get(key);
      if (value == null) {
        return usual;
      }
      for (E constant : usual.getDeclaringClass().getEnumConstants()) {
        if (constant != hidden && constant.name().toLowerCase(Locale.ROOT).equals(value)) {
          return constant;
        }
      }
      throw isNot(key, " is one of ");
    }

    /** Reads whether a limit that is no bucket begins with nothing left. */
    boolean spent() {
      String value = values.get(Option.INITIAL);
      if (value != null && !value.equals("spent")) {
        throw isNot(Option.INITIAL, " is one of ");
      }
      return value != null;
    }

    /** Reads a share, a duration, or both: {@code 0.1%+1ms}. */
    Margin margin() {
      String value = values.get(Option.MARGIN);
      if (value == null) {
        return Margin.USUAL;
      }
      int position = position(Option.MARGIN);
      int percent = value.indexOf('%');
      if (percent < 0) {
        return new Margin(0, Grammar.this.nanos(position, value));
      }
      long millionths = millionths(position, value.substring(0, percent));
      String rest = value.substring(percent + 1);
      if (rest.isEmpty()) {
        return new Margin(millionths, 0);
      }
      if (!rest.startsWith("+")) {
        throw in.wrong(position, "expected \"+\" between the share and the duration: " + value);
      }
      return new Margin(millionths, Grammar.this.nanos(position + percent + 2, rest.substring(1)));
    }

    private long millionths(int position, String percent) {
      if (!percent.matches("\\d{1,3}([.]\\d{1,4})?")) {
        throw in.wrong(
            position,
            "a share is from 0% to 100%, with at most 4 decimals, not \"" + percent + "%\"");
      }
      return new BigDecimal(percent).movePointRight(4).longValueExact();
    }

    private int position(Option key) {
      return positions.getOrDefault(key, 0);
    }
  }
}
