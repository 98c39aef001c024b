package dev.pacegate.simulator;

import dev.pacegate.limit.Rate;
import dev.pacegate.time.Durations;

/**
 * How a peer counts: {@code fixed(10/1s)}, {@code sliding(10/1s)}, {@code estimated(10/1s)}, {@code
 * bucket(10/1s, burst=5)}, {@code gcra(10/1s, burst=5)}, {@code spacing(100ms)}, {@code
 * aligned(10/1s)}, {@code concurrent(4)}.
 *
 * <p>What is counted is the cost; {@code spacing} and {@code concurrent} count requests.
 */
public sealed interface Rule {

  /** Every rule, for documentation. */
  String FORMS =
      "fixed(10/1s, phase=300ms), sliding(10/1s), estimated(10/1s, phase=300ms),"
          + " bucket(10/1s, burst=5), gcra(10/1s, burst=5), spacing(100ms), aligned(10/1s), concurrent(4)";

  /** Returns the long-run cost per nanosecond that this rule lets through; 0 if it has no rate. */
  double perNano();

  /** Returns how far back this rule looks, in nanoseconds. */
  long nanos();

  /**
   * Parses a rule.
   *
   * @throws IllegalArgumentException if {@code text} is no rule; the message says what is allowed
   */
  static Rule parse(String text) {
    var words = new Words(text);
    return switch (words.name()) {
      case "fixed" -> new Fixed(phased(words).rate(), phase(words));
      case "estimated" -> new Estimated(phased(words).rate(), phase(words));
      case "aligned" -> new Aligned(plain(words).rate());
      case "sliding" -> new Sliding(plain(words).rate());
      case "bucket" -> new Bucket(bursting(words).rate(), words.count("burst", 1));
      case "gcra" -> new Gcra(bursting(words).rate(), words.count("burst", 1));
      case "spacing" -> new Gap(plain(words).positiveNanos());
      case "concurrent" -> new Open(plain(words).count());
      default -> throw words.wrong("is no rule of a peer, expected one of " + FORMS);
    };
  }

  private static Words plain(Words words) {
    words.allow();
    return words;
  }

  private static Words bursting(Words words) {
    words.allow("burst");
    return words;
  }

  private static Words phased(Words words) {
    words.allow("phase");
    return words;
  }

  private static long phase(Words words) {
    long phase = words.nanos("phase", -1);
    long nanos = words.rate().nanos();
    if (phase >= nanos) {
      throw words.wrong("has a phase that must be less than " + Durations.format(nanos));
    }
    return phase;
  }

  private static void checkBurst(Rate rate, long burst, long each) {
    if (burst > (1L << 60) / each) {
      throw new IllegalArgumentException(
          "a simulated peer's bucket cannot hold that much: burst=" + burst + " at " + rate);
    }
  }

  private static double perNano(Rate rate) {
    return (double) rate.permits() / rate.nanos();
  }

  /**
   * Fixed windows, one after another.
   *
   * @param rate how many in each window
   * @param phase when one begins by the peer's clock; -1 for a random one
   */
  record Fixed(Rate rate, long phase) implements Rule {
    @Override
    public double perNano() {
      return Rule.perNano(rate);
    }

    @Override
    public long nanos() {
      return rate.nanos();
    }

    @Override
    public String toString() {
      return "fixed(" + rate + (phase < 0 ? "" : ", phase=" + Durations.format(phase)) + ")";
    }
  }

  /**
   * Windows that begin with the peer's calendar: at each whole second, minute, ...
   *
   * @param rate how many in each window
   */
  record Aligned(Rate rate) implements Rule {
    @Override
    public double perNano() {
      return Rule.perNano(rate);
    }

    @Override
    public long nanos() {
      return rate.nanos();
    }

    @Override
    public String toString() {
      return "aligned(" + rate + ")";
    }
  }

  /**
   * A sliding window that ends with each request.
   *
   * @param rate how many in any window
   */
  record Sliding(Rate rate) implements Rule {
    @Override
    public double perNano() {
      return Rule.perNano(rate);
    }

    @Override
    public long nanos() {
      return rate.nanos();
    }

    @Override
    public String toString() {
      return "sliding(" + rate + ")";
    }
  }

  /**
   * An estimate of what came in the last interval, from two fixed windows: what the present one has
   * counted, and what the one before it had counted times the share that the present one has still
   * to run. HAProxy's {@code http_req_rate} is one, and the sliding window counter of many
   * gateways. A peer that knows the time only in coarse steps has a clock with a grain.
   *
   * @param rate how many the estimate may reach
   * @param phase when a window begins by the peer's clock; -1 for a random one
   */
  record Estimated(Rate rate, long phase) implements Rule {
    @Override
    public double perNano() {
      return Rule.perNano(rate);
    }

    @Override
    public long nanos() {
      return rate.nanos();
    }

    @Override
    public String toString() {
      return "estimated(" + rate + (phase < 0 ? "" : ", phase=" + Durations.format(phase)) + ")";
    }
  }

  /**
   * A token bucket, full at first.
   *
   * @param rate how fast it is refilled
   * @param burst how much it holds
   */
  record Bucket(Rate rate, long burst) implements Rule {

    /** Checks that no sum overflows. */
    public Bucket {
      checkBurst(rate, burst, rate.nanos());
    }

    @Override
    public double perNano() {
      return Rule.perNano(rate);
    }

    @Override
    public long nanos() {
      return rate.nanos() / rate.permits() * burst;
    }

    @Override
    public String toString() {
      return "bucket(" + rate + ", burst=" + burst + ")";
    }
  }

  /**
   * The generic cell rate algorithm: a bucket that stores when it will be full.
   *
   * @param rate how fast it is refilled
   * @param burst how much it holds
   */
  record Gcra(Rate rate, long burst) implements Rule {

    /** Checks that no sum overflows. */
    public Gcra {
      checkBurst(rate, burst, GcraCounter.perPermit(rate));
    }

    @Override
    public double perNano() {
      return Rule.perNano(rate);
    }

    @Override
    public long nanos() {
      return rate.nanos() / rate.permits() * burst;
    }

    @Override
    public String toString() {
      return "gcra(" + rate + ", burst=" + burst + ")";
    }
  }

  /**
   * A gap between two requests.
   *
   * @param nanos the smallest gap
   */
  record Gap(long nanos) implements Rule {
    @Override
    public double perNano() {
      return 1.0 / nanos;
    }

    @Override
    public String toString() {
      return "spacing(" + Durations.format(nanos) + ")";
    }
  }

  /**
   * A bound on requests at work, from when one arrives until the peer has finished it.
   *
   * @param max the bound
   */
  record Open(long max) implements Rule {
    @Override
    public double perNano() {
      return 0;
    }

    @Override
    public long nanos() {
      return 0;
    }

    @Override
    public String toString() {
      return "concurrent(" + max + ")";
    }
  }
}
