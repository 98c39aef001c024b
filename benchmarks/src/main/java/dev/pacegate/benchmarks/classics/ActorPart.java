package dev.pacegate.benchmarks.classics;

import static dev.pacegate.benchmarks.Text.code;
import static dev.pacegate.benchmarks.Text.error;
import static dev.pacegate.benchmarks.Text.format;
import static dev.pacegate.benchmarks.Text.limit;
import static dev.pacegate.benchmarks.Text.number;

import dev.pacegate.Limiter;
import dev.pacegate.audit.Audit;
import dev.pacegate.benchmarks.Text;
import dev.pacegate.dispatch.Throttler;
import dev.pacegate.limit.Fixed;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Rate;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The part for users of the actor {@code TimerBasedThrottler}, which is gone from its library. */
final class ActorPart {

  /**
   * What is done to a throttler, and what becomes of it: {@code 3} sends three, {@code @950} moves
   * the clock to 950 ms, {@code +} sets a target, {@code -} takes it away, {@code =4/1s} sets the
   * rate.
   */
  private record Play(String what, String limit, String steps) {

    /** Returns the milliseconds at which each is delivered by the actor. */
    List<Long> by(ActorRules.Version version) {
      Rate rate = rate(limit);
      var actor = new ActorRules(version, rate.permits(), rate.nanos() / 1_000_000);
      for (String step : steps.split(" ", -1)) {
        switch (step.charAt(0)) {
          case '+' -> actor.setTarget(true);
          case '-' -> actor.setTarget(false);
          case '=' -> {
            Rate next = rate(step.substring(1));
            actor.setRate(next.permits(), next.nanos() / 1_000_000);
          }
          case '@' -> actor.moveTo(Long.parseLong(step.substring(1)));
          default -> {
            for (int i = 0; i < Integer.parseInt(step); i++) {
              actor.send();
            }
          }
        }
      }
      actor.moveTo(Duration.ofMinutes(1).toMillis());
      return actor.delivered();
    }

    private static Rate rate(String limit) {
      return ((Fixed) Limits.parse(limit)).rate();
    }

    /** Returns the milliseconds at which each was delivered, in order. */
    List<Long> delivered() throws InterruptedException {
      var time = ManualTime.manual();
      Limiter limiter = Limiter.builder(limit).time(time).executor(Runnable::run).build();
      var delivered = new ArrayList<Long>();
      try (Throttler<Integer> throttler =
          Throttler.<Integer>builder(limiter).executor(Runnable::run).build()) {
        int sent = 0;
        for (String step : steps.split(" ", -1)) {
          switch (step.charAt(0)) {
            case '+' -> throttler.target(message -> delivered.add(time.nanoTime() / 1_000_000));
            case '-' -> throttler.target(null);
            case '=' -> limiter.setLimit(step.substring(1));
            case '@' -> {
              long until = Long.parseLong(step.substring(1)) * 1_000_000 - time.nanoTime();
              time.advanceNanos(until);
            }
            default -> {
              for (int i = 0; i < Integer.parseInt(step); i++) {
                throttler.send(sent++);
              }
            }
          }
        }
        time.advance(Duration.ofMinutes(1));
      }
      return delivered;
    }
  }

  private static final String THREE = "fixed(3/1s)";

  private static final List<Play> SAME =
      List.of(
          new Play("seven messages", THREE, "+ 7"),
          new Play("nine messages at four per second", "fixed(4/1s)", "+ 9"),
          new Play("messages kept until there is a target", THREE, "6 @1000 +"),
          new Play("three messages in five seconds", "fixed(3/5s)", "+ 4"));

  private static final List<Play> AFTER_SILENCE =
      List.of(
          new Play("three messages, an idle period, one message", THREE, "+ 3 @10000 1"),
          new Play("the target is removed", THREE, "+ 3 - 4 @2500 +"),
          new Play("a few messages at a time", THREE, "+ 1 @600 1 @900 2 @1700 3 @9000 5"),
          new Play("messages at the tick", THREE, "+ 1 @950 2 @1000 3"));

  void write(Text text) throws InterruptedException {
    text.lines(
        "",
        "## The actor `TimerBasedThrottler`",
        "",
        "The library no longer contains this actor, so Pacegate is compared with a model of its code, on a manual clock. The actor delivers at most n messages",
        "per period of its own timer, which starts with the first delivery after an idle period; the others wait, in order, for the next tick.",
        "Without a target, all messages wait. There were two versions of the code. The first version doesn't renew its allowance when it goes idle;",
        "the later version, which was part of the library, goes idle with a full one.");
    text.table("actor", "Pacegate", "notes")
        .row(
            code("new TimerBasedThrottler(3 msgsPer 1.second)"),
            "a `Throttler` over " + limit(THREE),
            "")
        .row(
            code("SetTarget(Some(target))"),
            code("target(message -> ...)"),
            "You can call `target` at any time.")
        .row(code("SetTarget(None)"), code("target(null)"), "All messages stay queued.")
        .row(
            code("SetRate(4 msgsPerSecond)"),
            code("setLimit(\"fixed(4/1s)\")"),
            "Call `setLimit` on the limiter.")
        .row(
            code("throttler ! message"),
            code("send(message)"),
            "To keep the sender, send an `Envelope`.")
        .row(
            "an unbounded queue",
            code("capacity(1_000)"),
            "When the queue is full, the `overflow` policy applies.");
    same(text);
    better(text);
    different(text);
  }

  private static void same(Text text) throws InterruptedException {
    text.lines(
        "",
        "### The same",
        "",
        "In the steps, `+` sets a target, `-` removes it, `3` sends three messages, and `@1000` moves the clock to 1000 ms.");
    text.table("case", "limit", "steps", "both versions deliver, ms", "Pacegate delivered, ms");
    boolean same = true;
    for (Play play : SAME) {
      List<Long> first = play.by(ActorRules.Version.FIRST);
      List<Long> delivered = play.delivered();
      same &= delivered.equals(first) && first.equals(play.by(ActorRules.Version.LATER));
      text.row(play.what(), limit(play.limit()), code(play.steps()), join(first), join(delivered));
    }
    text.lines("").claim(same, "Pacegate delivered each message at the same time as both versions");
  }

  private static void better(Text text) throws InterruptedException {
    text.lines("", "### Better");
    afterSilence(text);
    inAnySecond(text);
    text.lines(
        "",
        "Other advantages: the queue is bounded, no timer ticks while messages wait, delivery continues if the target throws, and you get",
        "undelivered messages back at the end.");
  }

  private static void afterSilence(Text text) throws InterruptedException {
    text.lines(
        "",
        "**Idle periods cause no delay.** The first version doesn't renew its allowance while it is idle, so the next messages wait for a tick,",
        "however long the idle period was:");
    text.table(
        "case",
        "limit",
        "steps",
        "first version, ms",
        "later version, ms",
        "Pacegate delivered, ms",
        "Pacegate is earlier by up to");
    boolean sooner = true;
    for (Play play : AFTER_SILENCE) {
      List<Long> first = play.by(ActorRules.Version.FIRST);
      List<Long> later = play.by(ActorRules.Version.LATER);
      List<Long> delivered = play.delivered();
      long most = 0;
      for (int i = 0; i < first.size(); i++) {
        long by = first.get(i) - delivered.get(i);
        sooner &= by >= 0;
        most = Math.max(most, by);
      }
      sooner &= most > 0 && delivered.equals(later);
      text.row(
          play.what(),
          limit(play.limit()),
          code(play.steps()),
          join(first),
          join(later),
          join(delivered),
          most + " ms");
    }
    text.lines("")
        .claim(
            sooner,
            "Pacegate delivered no message later than the first version, some messages sooner, and each message at the same time as the later version");
  }

  private static void inAnySecond(Text text) throws InterruptedException {
    var edge = new Play("", THREE, "+ 1 @950 2 @1000 3");
    var sliding = new Play("", "3/1s", "+ 1 @950 2 @1000 3");
    List<Long> fixed = edge.delivered();
    List<Long> window = sliding.delivered();
    text.lines(
        "",
        "**You can limit messages to three in any second.** Windows that follow a timer allow nearly twice as many messages around a tick.",
        limit("3/1s")
            + " applies to every second, whenever it begins. With the steps "
            + code(edge.steps())
            + ", the results are:");
    text.table("limit", "delivered, ms", "most in any second");
    text.row(limit(edge.limit()), join(fixed), mostInASecond(fixed));
    text.row(limit(sliding.limit()), join(window), mostInASecond(window));
    text.lines("")
        .claim(
            mostInASecond(fixed) > 3 && mostInASecond(window) == 3,
            "The fixed windows allow more than three messages in one second, and the sliding window allows exactly three");
  }

  private static long mostInASecond(List<Long> millis) {
    var audit = Audit.of(Limits.parse("3/1s"));
    millis.forEach(instant -> audit.add(instant * 1_000_000));
    return audit.verdict().measured();
  }

  private static void different(Text text) throws InterruptedException {
    var change = new Play("", THREE, "+ 3 @500 =fixed(4/1s) 5");
    text.lines("", "### Different on purpose");
    text.table("what", "actor", "Pacegate", "why");
    text.row(
        "a new rate while messages wait: " + code(change.steps()),
        "The full new allowance is available immediately: "
            + join(change.by(ActorRules.Version.LATER)),
        join(change.delivered()),
        "Messages already sent in this window count, so there is no free burst.");
    text.row(
        "the later version turns "
            + code("3 per 5 s")
            + format(" into one per %s ns", number(Duration.ofSeconds(5).toNanos() / 3)),
        "no burst",
        limit("fixed(3/5s)")
            + " keeps the burst, and "
            + limit("bucket(3/5s)")
            + " has an even pace.",
        "You choose between the two. The bucket's interval is exact.");
    text.row(
        code("0 msgsPerSecond"),
        "It never delivers.",
        error("fixed(0/1s)"),
        "To stop delivery, call `pause()`.");
  }

  private static String join(List<Long> numbers) {
    return String.join(" ", numbers.stream().map(String::valueOf).toList());
  }
}
