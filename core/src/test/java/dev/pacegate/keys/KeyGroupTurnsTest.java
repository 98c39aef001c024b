package dev.pacegate.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Turns of those that come to a group from other turns, which had been counted for long. */
class KeyGroupTurnsTest {

  private static final long MILLI = 1_000_000;

  private final ManualTime time = ManualTime.manual();
  private final Map<String, Integer> sent = new TreeMap<>();

  private Limiter api(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private void send(int requests, Limiter limiter, String what) {
    for (int i = 0; i < requests; i++) {
      var unused = limiter.acquireAsync().thenAccept(permit -> sent.merge(what, 1, Integer::sum));
    }
  }

  private void pass(int millis) {
    for (int i = 0; i < millis; i++) {
      time.advanceNanos(MILLI);
    }
  }

  @Test
  void requestsOfAGroupItselfTakeTurnsWithKeysThatComeLater() {
    KeyedLimiter<String> teams = KeyedLimiter.builder("unlimited").within(api("1/1ms")).build();
    KeyedLimiter<String> users =
        KeyedLimiter.builder("unlimited").within(teams, (String user) -> "red").build();
    send(600, teams.limiter("blue"), "blue");
    send(400, teams.limiter("red"), "red");
    pass(200);
    send(400, users.limiter("ann"), "ann");
    sent.clear();
    pass(100);
    assertEquals(50, sent.getOrDefault("blue", 0), 1, () -> "of 100: " + sent);
    assertEquals(25, sent.getOrDefault("red", 0), 1, () -> "of 100: " + sent);
    assertEquals(25, sent.getOrDefault("ann", 0), 1, () -> "of 100: " + sent);
  }

  @Test
  void callOfABusyAccountTakesTurnsAtAnEndpointThatHasBeenIdle() {
    Limiter api = api("unlimited");
    KeyedLimiter<String> accounts = KeyedLimiter.builder("2/1ms").within(api).build();
    KeyedLimiter<String> endpoints = KeyedLimiter.builder("1/1ms").within(api).build();
    KeyedLimiter<String> calls =
        KeyedLimiter.builder("unlimited")
            .within(accounts, (String call) -> call.substring(0, 1))
            .within(endpoints, call -> call.substring(1))
            .build();
    endpoints.limiter("/fast").setLimit("unlimited");
    send(2_000, calls.limiter("A/fast"), "A/fast");
    pass(500);
    send(300, calls.limiter("B/slow"), "B");
    send(300, calls.limiter("C/slow"), "C");
    send(300, calls.limiter("A/slow"), "A");
    pass(90);
    assertTrue(sent.getOrDefault("A", 0) >= 15, () -> "it is an equal of B and C: " + sent);
  }

  /** No key of the team has ever waited, so the team has no turns for them yet. */
  @Test
  void requestOfAGroupItselfGoesWhenAPermitOfAKeyEnds() {
    KeyedLimiter<String> teams =
        KeyedLimiter.builder("concurrent(1)").within(api("unlimited")).build();
    KeyedLimiter<String> users =
        KeyedLimiter.builder("unlimited").within(teams, (String user) -> "red").build();
    Permit ofAnn = users.tryAcquire("ann").orElseThrow();
    send(1, teams.limiter("red"), "red");
    assertEquals(Map.of(), sent);
    ofAnn.answered();
    assertEquals(Map.of("red", 1), sent);
  }

  @Test
  void requestOfAnEndpointItselfGoesAfterACallThatWasCalledBeforeIt() {
    Limiter api = api("1/1ms");
    KeyedLimiter<String> accounts = KeyedLimiter.builder("unlimited").within(api).build();
    KeyedLimiter<String> endpoints = KeyedLimiter.builder("1/5ms").within(api).build();
    KeyedLimiter<String> calls =
        KeyedLimiter.builder("unlimited")
            .within(accounts, (String call) -> "A")
            .within(endpoints, call -> "/slow")
            .build();
    send(1, api, "api");
    send(1, calls.limiter("one"), "call");
    send(1, endpoints.limiter("/slow"), "/slow");
    pass(4);
    assertEquals(Map.of("api", 1, "call", 1), sent);
    pass(4);
    assertEquals(Map.of("api", 1, "call", 1, "/slow", 1), sent);
  }

  /** A visit of all lanes would set a new alarm for each of the groups. */
  @Test
  void pauseOfOneGroupVisitsNoOthers() {
    var alarms = new AtomicInteger();
    Time counting =
        new Time() {
          @Override
          public long nanoTime() {
            return time.nanoTime();
          }

          @Override
          public Scheduled at(long instant, Runnable task) {
            alarms.incrementAndGet();
            return time.at(instant, task);
          }

          @Override
          public void parkUntil(Object blocker, long instant) {
            time.parkUntil(blocker, instant);
          }
        };
    KeyedLimiter<Integer> teams =
        KeyedLimiter.builder("1/1s").time(counting).executor(Runnable::run).build();
    KeyedLimiter<Integer> users =
        KeyedLimiter.builder("unlimited").within(teams, (Integer user) -> user % 100).build();
    for (int user = 0; user < 300; user++) {
      send(1, users.limiter(user), "user");
    }
    assertEquals(Map.of("user", 100), sent);
    int before = alarms.get();
    teams.limiter(7).pauseFor(Duration.ofSeconds(3));
    teams.limiter(7).setLimit("2/1s");
    assertTrue(alarms.get() - before < 10, () -> "alarms: " + (alarms.get() - before));
    time.advance(Duration.ofSeconds(2));
    assertEquals(Map.of("user", 298), sent);
    time.advance(Duration.ofSeconds(2));
    assertEquals(Map.of("user", 300), sent);
  }
}
