package dev.pacegate.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import java.lang.ref.WeakReference;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Groups whose keys have been dropped, closed or forgotten by the program. */
class KeyGroupLifeTest {

  private final ManualTime time = ManualTime.manual();
  private @Nullable String teamOfAnn = "red";
  private KeyedLimiter<String> teams = teams("1/1h");
  private KeyedLimiter<String> users = users("10/1s");

  private KeyedLimiter<String> teams(String limit) {
    return KeyedLimiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private KeyedLimiter<String> users(String limit) {
    return KeyedLimiter.builder(limit).within(teams, (String user) -> team()).build();
  }

  @SuppressWarnings("NullAway") // a program's function may be wrong
  private String team() {
    return teamOfAnn;
  }

  private static int takeAll(Limiter limiter) {
    int taken = 0;
    while (limiter.tryAcquire().isPresent()) {
      taken++;
    }
    return taken;
  }

  @Test
  void requestsOfClosedKeysLetTheirGroupGoOnlyOnce() {
    assertTrue(users.tryAcquire("ann").isPresent());
    users.close();
    for (int i = 0; i < 3; i++) {
      assertThrows(LimiterClosedException.class, () -> users.tryAcquire("ann"));
    }
    assertEquals(0, takeAll(teams.limiter("red")), "its one permit of this hour is used");
    assertEquals(1, teams.size());
    time.advance(Duration.ofHours(2));
    assertEquals(0, teams.size());
  }

  @Test
  void permitThatEndsAfterItsKeysWereClosedLetsItsGroupGo() {
    teams = teams("concurrent(3)");
    users = users("10/1s");
    users.tryAcquire("ann").orElseThrow().answered(); // at rest in a second
    Permit open = users.tryAcquire("ann").orElseThrow();
    users.close();
    open.answered();
    time.advance(Duration.ofMinutes(1));
    assertEquals(0, teams.size());
  }

  @Test
  void permitIsSettledInTheGroupThatItWasChargedTo() {
    teams = teams("bucket(10/1h, burst=10)");
    users = users("10/1s");
    Permit permit = users.limiter("ann").tryAcquire(10).orElseThrow();
    time.advance(Duration.ofSeconds(5));
    assertEquals(0, users.size());
    teamOfAnn = "blue";
    assertEquals(10, takeAll(teams.limiter("blue")));
    permit.settle(1);
    assertEquals(0, takeAll(teams.limiter("blue")), "it was not charged for that permit");
    int left = takeAll(teams.limiter("red"));
    assertTrue(left >= 8, () -> "nine of its ten were given back, less rounding: " + left);
    time.advance(Duration.ofHours(2));
    assertEquals(0, teams.size() + users.size());
  }

  @Test
  void permitOfADroppedKeyKeepsNothingIfItsGroupCannotBeToldBySettling() {
    Permit permit = users.limiter("ann").tryAcquire(1).orElseThrow();
    time.advance(Duration.ofSeconds(5));
    teamOfAnn = null;
    assertThrows(NullPointerException.class, () -> permit.settle(1));
    assertEquals(0, users.size());
    assertEquals(1, teams.size());
    time.advance(Duration.ofHours(2));
    assertEquals(0, teams.size());
  }

  @Test
  void keysThatTheProgramHasForgottenLetTheirGroupsGo() {
    time.advance(Duration.ofSeconds(1));
    var forgotten = new WeakReference<>(users);
    assertTrue(users.tryAcquire("ann").isPresent());
    users = users("10/1s");
    for (int i = 0; i < 10 && forgotten.get() != null; i++) {
      System.gc();
    }
    time.advance(Duration.ofHours(2));
    assertEquals(0, teams.size());
    assertEquals(0, time.pending());
  }
}
