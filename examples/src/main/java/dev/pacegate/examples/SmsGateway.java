package dev.pacegate.examples;

import dev.pacegate.Limiter;
import dev.pacegate.dispatch.Throttler;
import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A gateway that sends short messages through several binds, connections to an operator each of
 * which takes one message per so many milliseconds and drops who is faster.
 *
 * <p>A {@link Throttler} per bind keeps its queue and its spacing. All messages to a recipient go
 * through one bind, so they arrive in order. The spacing is that of {@code peer}: it counts from
 * the end of one message to the start of the next, so the bind sees it however long a message
 * takes.
 */
public final class SmsGateway implements AutoCloseable {

  /**
   * A short message.
   *
   * @param recipient whom to
   * @param text what
   */
  public record Sms(String recipient, String text) {}

  private final List<Throttler<Sms>> binds = new ArrayList<>();

  /** Makes a gateway of these binds, none of which gets two messages within {@code spacing}. */
  public SmsGateway(List<Consumer<Sms>> targets, Duration spacing) {
    for (Consumer<Sms> target : targets) {
      Limiter limiter =
          Limiter.builder(Limits.peer(Limits.spacing(spacing)))
              .name("bind " + binds.size())
              .build();
      Throttler<Sms> bind = Throttler.<Sms>builder(limiter).capacity(1_000).build();
      bind.target(target);
      binds.add(bind);
    }
  }

  /** Queues a message at the bind of its recipient; waits while a thousand are queued there. */
  public void send(Sms sms) throws InterruptedException {
    binds.get(bindOf(sms.recipient())).send(sms);
  }

  /** Returns which bind serves a recipient. */
  public int bindOf(String recipient) {
    return Math.floorMod(recipient.hashCode(), binds.size());
  }

  /** Waits until everything has been sent; returns whether it has within {@code timeout}. */
  public boolean drain(Duration timeout) throws InterruptedException {
    long end = System.nanoTime() + timeout.toNanos();
    boolean drained = true;
    for (Throttler<Sms> bind : binds) {
      drained &= bind.drain(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
    }
    return drained;
  }

  /** Sends no more. What is still queued is lost: a real gateway would store it. */
  @Override
  public void close() {
    binds.forEach(Throttler::close);
  }

  /** Sends ninety messages to ten people through three binds, one per 20 ms each. */
  public static void main(String[] arguments) throws InterruptedException {
    long began = System.nanoTime();
    var targets = new ArrayList<Consumer<Sms>>();
    for (int i = 0; i < 3; i++) {
      int bind = i;
      targets.add(
          sms ->
              System.out.printf(
                  "%4d ms  bind %d  to %s: %s%n",
                  (System.nanoTime() - began) / 1_000_000, bind, sms.recipient(), sms.text()));
    }
    try (var gateway = new SmsGateway(targets, Duration.ofMillis(20))) {
      for (int i = 0; i < 90; i++) {
        gateway.send(new Sms("+49151000" + i % 10, "message " + i / 10));
      }
      gateway.drain(Duration.ofMinutes(1));
    }
  }
}
