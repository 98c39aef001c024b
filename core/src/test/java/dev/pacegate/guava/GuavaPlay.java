package dev.pacegate.guava;

import static java.math.RoundingMode.HALF_UP;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Plays what a caller does, on a limiter and on {@link GuavaModel}, in time that waiting moves.
 *
 * <p>A script is written as what is seen, in seconds rounded half up to two decimals:
 *
 * <pre>
 * R0.20      acquire() took 0.20
 * R0.20*3    acquire(3) took 0.20
 * 8R0.20     eight times R0.20
 * U0.50      the user slept for 0.50
 * T0.20:yes  tryAcquire within 0.20 was granted; T0.20:no refused; both may cost: T0.20*3:yes
 * Tmax:yes   the longest time-out there is; Tmin:no the most negative one
 * </pre>
 */
final class GuavaPlay {

  private static final double SECOND = 1e9;

  private final ManualTime time = ManualTime.selfAdvancing();
  private final Limiter limiter;
  private final GuavaModel model;
  private double modelNow;

  private GuavaPlay(String limit, GuavaModel model) {
    this.limiter = Limiter.builder(limit).time(time).build();
    this.model = model;
  }

  /** A limiter as {@code RateLimiter.create(perSecond)} makes it. */
  static GuavaPlay bursty(long perSecond) {
    return bursty(burstyText(perSecond), (double) perSecond);
  }

  /** A limiter that is to do as {@code RateLimiter.create(perSecond)} does. */
  static GuavaPlay bursty(String limit, double perSecond) {
    return new GuavaPlay(limit, GuavaModel.bursty(perSecond, 1, 0));
  }

  /** A limiter that is to do as one of Guava's does that warms up. */
  static GuavaPlay warmingUp(String limit, double perSecond, double seconds, double cold) {
    return new GuavaPlay(limit, GuavaModel.warmingUp(perSecond, seconds * SECOND, cold, 0));
  }

  /** Returns the limit that stands for {@code RateLimiter.create(perSecond)}. */
  static String burstyText(long perSecond) {
    return "bucket(%1$d/1s, burst=%1$d, pay=later, debt=1000000, initial=empty)"
        .formatted(perSecond);
  }

  /** Changes the rate of both. */
  GuavaPlay rate(String limit, double perSecond) {
    limiter.setLimit(limit);
    model.setRate(modelNow, perSecond);
    return this;
  }

  /** Does what {@code script} says, and checks that both see what it says. */
  GuavaPlay sees(String script) {
    var steps = new ArrayList<String>();
    for (String word : script.strip().split(" +", -1)) {
      int times = Character.isDigit(word.charAt(0)) ? word.charAt(0) - '0' : 1;
      String step = Character.isDigit(word.charAt(0)) ? word.substring(1) : word;
      for (int i = 0; i < times; i++) {
        steps.add(step);
      }
    }
    List<String> ours = steps.stream().map(this::ours).toList();
    List<String> theirs = steps.stream().map(this::theirs).toList();
    assertEquals(steps, theirs, "the model of Guava");
    assertEquals(steps, ours, () -> "ours, " + limiter.limit());
    return this;
  }

  private String ours(String step) {
    long began = time.nanoTime();
    String cost = cost(step);
    switch (step.charAt(0)) {
      case 'U' -> time.advance(span(step));
      case 'R' -> {
        Permit permit = take(cost);
        assertEquals(time.nanoTime() - began, permit.waited().toNanos(), "waited");
      }
      default -> {
        return tried(step, granted(step, cost));
      }
    }
    return step.charAt(0) + seconds((double) (time.nanoTime() - began)) + suffix(cost);
  }

  private String theirs(String step) {
    String cost = cost(step);
    switch (step.charAt(0)) {
      case 'U' -> {
        modelNow += (double) span(step).toNanos();
        return "U" + seconds((double) span(step).toNanos());
      }
      case 'R' -> {
        return "R" + seconds(modelTakes(cost)) + suffix(cost);
      }
      default -> {
        double timeout = Math.max(0, span(step).toMillis() * 1e6);
        boolean granted = model.goesWithin(modelNow, timeout);
        if (granted) {
          modelTakes(cost);
        }
        return tried(step, granted);
      }
    }
  }

  private double modelTakes(String cost) {
    double wait = model.acquire(modelNow, Double.parseDouble(cost));
    modelNow += wait;
    return wait;
  }

  private Permit take(String cost) {
    try {
      return cost.equals("1") ? limiter.acquire() : limiter.acquire(Long.parseLong(cost));
    } catch (InterruptedException unexpected) {
      throw new AssertionError(unexpected);
    }
  }

  private boolean granted(String step, String cost) {
    try {
      Optional<Permit> permit = limiter.tryAcquire(Long.parseLong(cost), span(step));
      return permit.isPresent();
    } catch (InterruptedException unexpected) {
      throw new AssertionError(unexpected);
    }
  }

  private static String tried(String step, boolean granted) {
    return step.substring(0, step.indexOf(':') + 1) + (granted ? "yes" : "no");
  }

  private static String cost(String step) {
    String[] parts = step.split("[*:]", -1);
    return step.contains("*") ? parts[1] : "1";
  }

  private static String suffix(String cost) {
    return cost.equals("1") ? "" : "*" + cost;
  }

  private static Duration span(String step) {
    String number = Arrays.asList(step.substring(1).split("[*:]", -1)).get(0);
    return switch (number) {
      case "max" -> Duration.ofMillis(Long.MAX_VALUE);
      case "min" -> Duration.ofMillis(Long.MIN_VALUE);
      default -> Duration.ofNanos(new BigDecimal(number).movePointRight(9).longValueExact());
    };
  }

  private static String seconds(double nanos) {
    return new BigDecimal(Math.round(nanos)).movePointLeft(9).setScale(2, HALF_UP).toString();
  }
}
