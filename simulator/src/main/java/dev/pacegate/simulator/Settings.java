package dev.pacegate.simulator;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.Durations;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A scenario as text: a value for each {@link Setting}, or its default. Not thread-safe. */
public final class Settings {

  private static final Delay USUAL_STALL = new Delay.Between(1_000_000_000L, 4_000_000_000L);
  private static final long MOST_SENDS = 1_000_000_000L;

  private final Map<Setting, String> values = new EnumMap<>(Setting.class);
  private final List<Client.Change> changes = new ArrayList<>();

  /** Creates one with all defaults. */
  public Settings() {}

  /** Returns a copy. */
  public Settings copy() {
    var copy = new Settings();
    copy.values.putAll(values);
    copy.changes.addAll(changes);
    return copy;
  }

  /**
   * Sets a value.
   *
   * @throws IllegalArgumentException if the value is not allowed; the message names it and says
   *     what is allowed
   */
  public void set(Setting setting, String value) {
    values.put(setting, value);
    try {
      check(setting);
    } catch (IllegalArgumentException e) {
      String message = String.valueOf(e.getMessage());
      boolean named = message.startsWith(setting.text() + ": ");
      throw named ? e : new IllegalArgumentException(setting.text() + ": " + message, e);
    }
  }

  /** Adds a limit that replaces the present one at an instant. */
  public void change(String at, String limit) {
    changes.add(new Client.Change(Durations.parseNanos(at), Limits.parse(limit)));
  }

  /** Takes over every value that {@code other} has. */
  public void override(Settings other) {
    values.putAll(other.values);
  }

  /** Returns whether a value was given. */
  public boolean has(Setting setting) {
    return values.containsKey(setting);
  }

  /**
   * Returns the scenario with {@code limit}.
   *
   * @throws IllegalArgumentException if a setting is missing, or two contradict each other
   */
  public Scenario scenario(Limit limit) {
    if (!has(Setting.PEER)) {
      throw new IllegalArgumentException("peer is missing, expected one of " + Rule.FORMS);
    }
    return new Scenario(limit, client(), network(), peer(), sends(), seed());
  }

  private void check(Setting setting) {
    switch (setting) {
      case PEER, COUNTS, REFUSES, CLOCK_OFFSET, CLOCK_ERROR, CLOCK_GRAIN -> {
        if (has(Setting.PEER)) {
          peer();
        }
      }
      case DELAY, WORK, BACK, STALLS, LOST, RESETS -> network();
      case TIMEOUT, DEMAND, COST, PAUSES, LATE_TIMERS -> client();
      case SENDS -> sends();
      case SEED -> seed();
    }
  }

  private PeerSide peer() {
    var clock =
        new PeerClock(
            read(Setting.CLOCK_OFFSET, 0L, Settings::offset),
            read(Setting.CLOCK_ERROR, 0L, Settings::ppm),
            read(Setting.CLOCK_GRAIN, 1L, Durations::parseNanos));
    return new PeerSide(
        read(Setting.PEER, new Rule.Open(1), Rule::parse),
        clock,
        read(Setting.COUNTS, PeerSide.Moment.ARRIVAL, Settings::moment),
        read(Setting.REFUSES, true, Settings::yes));
  }

  private Network network() {
    Delay there = read(Setting.DELAY, Delay.parse(Setting.DELAY.usual()), Delay::parse);
    Mishap stalls = read(Setting.STALLS, Mishap.NONE, Mishap::parse);
    return new Network(
        there,
        read(Setting.WORK, Delay.NONE, Delay::parse),
        read(Setting.BACK, there, Delay::parse),
        stalls.odds,
        stalls.length,
        read(Setting.LOST, Odds.NEVER, Odds::parse),
        read(Setting.RESETS, Odds.NEVER, Odds::parse));
  }

  private Client client() {
    Mishap pauses = read(Setting.PAUSES, Mishap.NONE, Mishap::parse);
    long[] cost = read(Setting.COST, new long[] {1, 1}, Settings::costs);
    return new Client(
        read(Setting.DEMAND, new Demand.Always(), Demand::parse),
        cost[0],
        cost[1],
        read(Setting.TIMEOUT, Client.TIME_OUT, Durations::parseNanos),
        pauses.odds,
        pauses.length,
        false,
        read(Setting.LATE_TIMERS, Delay.NONE, Delay::parse),
        changes);
  }

  private long sends() {
    long sends = read(Setting.SENDS, 10_000L, Settings::integer);
    if (sends < 1 || sends > MOST_SENDS) {
      throw new IllegalArgumentException("must be from 1 to " + MOST_SENDS + ": " + sends);
    }
    return sends;
  }

  private long seed() {
    return read(Setting.SEED, 1L, Settings::integer);
  }

  private <T> T read(Setting setting, T usual, Function<String, T> reader) {
    String value = values.get(setting);
    if (value == null) {
      return usual;
    }
    try {
      return reader.apply(value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(setting.text() + ": " + e.getMessage(), e);
    }
  }

  private static PeerSide.Moment moment(String text) {
    for (PeerSide.Moment moment : PeerSide.Moment.values()) {
      if (moment.name().equalsIgnoreCase(text)) {
        return moment;
      }
    }
    throw new IllegalArgumentException(
        "expected one of " + Setting.COUNTS.range() + ", found \"" + text + '"');
  }

  private static boolean yes(String text) {
    return switch (text) {
      case "yes", "true" -> true;
      case "no", "false" -> false;
      default -> throw new IllegalArgumentException("expected yes or no, found \"" + text + '"');
    };
  }

  private static long offset(String text) {
    return text.startsWith("-")
        ? -Durations.parseNanos(text.substring(1))
        : Durations.parseNanos(text);
  }

  private static long ppm(String text) {
    if (!text.matches("[-+]?\\d{1,2}([.]\\d{1,4})?%")) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is no share from -10% to 10% with at most 4 decimals, as in -0.05%");
    }
    return new BigDecimal(text.substring(0, text.length() - 1)).movePointRight(4).longValueExact();
  }

  private static long[] costs(String text) {
    String[] ends = text.split("[.][.]", 2);
    long least = integer(ends[0]);
    return new long[] {least, ends.length == 1 ? least : integer(ends[1])};
  }

  private static long integer(String text) {
    String digits = text.strip().replace("_", "");
    if (!digits.matches("-?[0-9]{1,18}")) {
      throw new IllegalArgumentException("\"" + text.strip() + "\" is no whole number");
    }
    return Long.parseLong(digits);
  }

  /** A disturbance that happens now and then, for some time: {@code 1% of 1s..4s}. */
  private static final class Mishap {

    static final Mishap NONE = new Mishap(Odds.NEVER, Delay.NONE);

    final Odds odds;
    final Delay length;

    private Mishap(Odds odds, Delay length) {
      this.odds = odds;
      this.length = length;
    }

    static Mishap parse(String text) {
      String[] parts = text.split("\\bof\\b", 2);
      Delay length = parts.length == 1 ? USUAL_STALL : Delay.parse(parts[1]);
      return new Mishap(Odds.parse(parts[0]), length);
    }
  }
}
