package dev.pacegate.keys;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.waiting.Crew;
import dev.pacegate.waiting.Race;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many threads and keys in groups at once, in real time. */
@Tag("slow")
class KeyGroupRacesTest {

  private static final int USERS = 50;
  private static final int TEAMS = 5;

  private static long sum(AtomicLongArray granted, int team) {
    long sum = 0;
    for (int user = team; user < USERS; user += TEAMS) {
      sum += granted.get(user);
    }
    return sum;
  }

  @Test
  void noPermitIsChargedAtOneLevelAndRefusedAtAnother() {
    Limiter api = Limiter.of("250/1h");
    KeyedLimiter<Integer> teams = KeyedLimiter.builder("60/1h").within(api).build();
    KeyedLimiter<Integer> users =
        KeyedLimiter.builder("10/1h").within(teams, (Integer user) -> user % TEAMS).build();
    var granted = new AtomicLongArray(USERS);
    Race.Turn turn =
        random -> {
          int user = random.nextInt(USERS);
          if (users.tryAcquire(user).isPresent()) {
            granted.incrementAndGet(user);
          }
        };
    Race.ofTurns(5_000, turn);
    long all = 0;
    for (int team = 0; team < TEAMS; team++) {
      all += sum(granted, team);
    }
    assertEquals(250, all, "every permit that the API has");
    api.setLimit("unlimited");
    Race.ofTurns(5_000, turn);
    for (int team = 0; team < TEAMS; team++) {
      assertEquals(60, sum(granted, team), "every permit that team " + team + " has");
    }
    teams.setLimit("unlimited");
    Race.ofTurns(5_000, turn);
    for (int user = 0; user < USERS; user++) {
      assertEquals(10, granted.get(user), "every permit that user " + user + " has");
    }
  }

  /** The shorter the intervals, the more often keys and groups are dropped while callers come. */
  @Test
  void limitsOfAllLevelsHoldWhileKeysComeAndGo() throws Exception {
    var limits = Map.of("user", "2/2ms", "team", "3/2ms", "pair", "2/3ms", "api", "5/2ms");
    Limiter api = Limiter.builder(limit(limits, "api")).stamped(true).build();
    KeyedLimiter<Integer> teams = KeyedLimiter.builder(limit(limits, "team")).within(api).build();
    KeyedLimiter<Integer> pairs = KeyedLimiter.builder(limit(limits, "pair")).within(api).build();
    KeyedLimiter<Integer> users =
        KeyedLimiter.builder(limit(limits, "user"))
            .within(teams, (Integer user) -> user % 2)
            .within(pairs, user -> user / 2)
            .build();
    var released = new ConcurrentHashMap<String, ConcurrentLinkedQueue<Long>>();
    Race.lasting(
        Duration.ofMillis(1_500),
        random -> {
          int user = random.nextInt(6);
          Limiter one = users.limiter(user);
          Permit permit =
              switch (random.nextInt(3)) {
                case 0 -> one.acquire();
                case 1 -> one.acquireAsync().get(60, SECONDS);
                default -> one.acquire(Cost.of("named", 1));
              };
          for (String level : List.of("api", "team" + user % 2, "pair" + user / 2, "user" + user)) {
            released
                .computeIfAbsent(level, l -> new ConcurrentLinkedQueue<>())
                .add(permit.releasedAt());
          }
          if (random.nextInt(10) == 0) {
            Thread.sleep(random.nextInt(25)); // so that keys come to rest and are dropped
          }
        });
    released.forEach(
        (level, instants) -> {
          var audit = Audit.of(Limits.parse(limit(limits, level.replaceAll("\\d", ""))));
          instants.stream().sorted().forEach(audit::add);
          assertTrue(audit.report().kept(), () -> level + ": " + audit.report().text());
        });
    Crew.await(
        "all keys and groups are dropped", () -> users.size() + teams.size() + pairs.size() == 0);
  }

  private static String limit(Map<String, String> limits, String level) {
    return String.valueOf(limits.get(level));
  }
}
