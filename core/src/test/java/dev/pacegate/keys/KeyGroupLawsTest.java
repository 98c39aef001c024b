package dev.pacegate.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Seeds;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What holds for keys in groups whatever happens, judged by the audit and by counting. */
class KeyGroupLawsTest {

  private static final List<String> LIMITS =
      List.of(
          "3/1ms",
          "bucket(2/1ms, burst=3)",
          "bucket(2/1ms, burst=2, pay=later, debt=3)",
          "warmup(3/1ms, over=2ms)",
          "spacing(300us)",
          "concurrent(2)",
          "peer(3/1ms, unanswered=2ms, margin=0ns)",
          "peer(bucket(2/1ms, burst=3), unanswered=2ms, margin=0ns)",
          "5/2ms & concurrent(3)",
          "unlimited");

  private static final int USERS = 6;

  /** From release to end. */
  private static final class Use {
    final List<String> levels;
    final Permit permit;
    final long start;
    long end = Long.MAX_VALUE;

    Use(List<String> levels, Permit permit) {
      this.levels = levels;
      this.permit = permit;
      this.start = permit.releasedAt();
    }
  }

  /** Users in teams in the API, and calls that are in a team and in an endpoint. */
  private static final class World {
    final SplittableRandom random;
    final ManualTime time = ManualTime.manual();
    final Map<String, String> limits = new TreeMap<>(); // by the first letter of a level
    final Limiter api;
    final KeyedLimiter<Integer> teams;
    final KeyedLimiter<Integer> endpoints;
    final KeyedLimiter<Integer> users;
    final KeyedLimiter<List<Integer>> calls;
    final List<Use> uses = new ArrayList<>(); // in the order of their release
    final List<Use> open = new ArrayList<>();
    final List<CompletableFuture<Permit>> places = new ArrayList<>();

    World(SplittableRandom random, List<String> some) {
      this.random = random;
      for (String level : List.of("a", "t", "e", "u", "c")) {
        limits.put(level, some.get(random.nextInt(some.size())));
      }
      this.api =
          Limiter.builder(limit("a")).time(time).executor(Runnable::run).stamped(true).build();
      this.teams = KeyedLimiter.builder(limit("t")).within(api).build();
      this.endpoints = KeyedLimiter.builder(limit("e")).within(api).build();
      this.users =
          KeyedLimiter.builder(limit("u")).within(teams, (Integer user) -> user % 2).build();
      this.calls =
          KeyedLimiter.builder(limit("c"))
              .within(teams, (List<Integer> call) -> call.get(0))
              .within(endpoints, call -> call.get(1))
              .build();
    }

    private String limit(String level) {
      return String.valueOf(limits.get(level));
    }

    void step() {
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3 -> ask();
        case 4, 5 -> tryIt();
        case 6 -> leave();
        case 7, 8 -> endOne();
        case 9 -> steer(any(new ArrayList<>()));
        default -> time.advanceNanos(random.nextLong(1_500_000));
      }
    }

    /** Returns a limiter of any level, and adds the levels at which it charges. */
    Limiter any(List<String> levels) {
      levels.add("a");
      int team = random.nextInt(2);
      int endpoint = random.nextInt(3);
      switch (random.nextInt(9)) {
        case 0 -> {
          return api;
        }
        case 1 -> {
          levels.add("t" + team);
          return teams.limiter(team);
        }
        case 2, 3, 4 -> {
          levels.addAll(List.of("t" + team, "e" + endpoint, "c" + team + endpoint));
          return calls.limiter(List.of(team, endpoint));
        }
        default -> {
          int user = random.nextInt(USERS);
          levels.addAll(List.of("t" + user % 2, "u" + user));
          return users.limiter(user);
        }
      }
    }

    private void ask() {
      List<String> levels = new ArrayList<>();
      Limiter limiter = any(levels);
      Duration bound = Duration.ofNanos(random.nextLong(3_000_000));
      CompletableFuture<Permit> place =
          random.nextInt(4) > 0 ? limiter.acquireAsync() : limiter.acquireAsync(Cost.ONE, bound);
      places.add(place);
      var unused = place.thenAccept(permit -> released(levels, permit));
    }

    private void tryIt() {
      List<String> levels = new ArrayList<>();
      any(levels).tryAcquire().ifPresent(permit -> released(levels, permit));
    }

    private void steer(Limiter one) {
      switch (random.nextInt(6)) {
        case 0 -> one.pause();
        case 1 -> one.pauseFor(Duration.ofNanos(random.nextLong(3_000_000)));
        case 2 -> one.peerRefused(Duration.ofNanos(random.nextLong(3_000_000)));
        default -> one.resume();
      }
    }

    private void released(List<String> levels, Permit permit) {
      var use = new Use(levels, permit);
      uses.add(use);
      open.add(use);
    }

    private void leave() {
      if (!places.isEmpty()) {
        places.remove(random.nextInt(places.size())).cancel(true);
      }
    }

    private void endOne() {
      if (!open.isEmpty()) {
        end(open.remove(random.nextInt(open.size())));
      }
    }

    private void end(Use use) {
      use.end = time.nanoTime();
      use.permit.answered();
    }

    void finish() {
      api.resume();
      places.forEach(place -> place.cancel(true));
      while (!open.isEmpty()) {
        end(open.remove(0));
      }
      time.advance(Duration.ofSeconds(1));
      for (KeyedLimiter<?> keyed : List.of(users, calls, teams, endpoints)) {
        assertEquals(0, keyed.size(), () -> "all keys are at rest: " + keyed);
      }
      assertEquals(0, api.snapshot().open());
      assertEquals(0, api.snapshot().waiting());
      assertEquals(0, time.pending());
    }

    void judge() {
      Map<String, Audit> audits = new LinkedHashMap<>();
      for (Use use : uses) {
        for (String level : use.levels) {
          audits
              .computeIfAbsent(level, l -> Audit.of(Limits.parse(limit(l.substring(0, 1)))))
              .add(use.start, use.end, Cost.ONE);
        }
      }
      audits.forEach(
          (level, audit) ->
              assertTrue(audit.report().kept(), () -> level + ": " + audit.report().text()));
    }
  }

  @Test
  void limitsOfAllLevelsHoldAndInTheEndEverythingIsForgotten() {
    hold(250);
  }

  @Test
  @Tag("slow")
  void limitsOfAllLevelsHoldInManyWorlds() {
    hold(20_000);
  }

  @Test
  @Tag("heavy")
  void limitsOfAllLevelsHoldInAHundredThousandWorlds() {
    hold(100_000);
  }

  private static void hold(int worlds) {
    Seeds.forEach(
        worlds,
        random -> {
          var world = new World(random, LIMITS);
          for (int i = 0; i < 300; i++) {
            world.step();
          }
          world.finish();
          world.judge();
        });
  }

  /** Across changes, no interval holds more than the largest of the limits allows. */
  @Test
  void largestLimitHoldsAcrossChangesAtAnyLevel() {
    Seeds.forEach(
        200,
        random -> {
          var world = new World(random, List.of("1/1ms", "2/1ms", "3/1ms", "5/1ms"));
          for (int i = 0; i < 300; i++) {
            if (random.nextInt(8) == 0) {
              change(world, random.nextInt(1, 6));
            }
            world.step();
          }
          for (int team = 0; team < 2; team++) {
            world.teams.limiter(team).setLimit(world.teams.limit()); // it no longer takes room
          }
          world.finish();
          world.judge();
        });
  }

  private static void change(World world, int most) {
    String limit = most + "/1ms";
    String level =
        switch (world.random.nextInt(5)) {
          case 0 -> {
            world.api.setLimit(limit);
            yield "a";
          }
          case 1 -> {
            world.teams.setLimit(limit);
            yield "t";
          }
          case 2 -> {
            world.endpoints.setLimit(limit);
            yield "e";
          }
          case 3 -> {
            world.teams.limiter(world.random.nextInt(2)).setLimit(limit);
            yield "t";
          }
          default -> {
            world.users.setLimit(limit);
            yield "u";
          }
        };
    world.limits.merge(level, limit, (a, b) -> a.compareTo(b) < 0 ? b : a); // of one digit
  }

  /** Levels by their names, with the most that each allows in a microsecond, and what was sent. */
  private static final class Model {
    final Map<String, Integer> most = new TreeMap<>();
    final Map<String, List<Long>> released = new TreeMap<>();

    boolean allows(List<String> levels, long now) {
      return levels.stream()
          .allMatch(
              level ->
                  released.getOrDefault(level, List.of()).stream()
                          .filter(at -> now - at < 1_000)
                          .count()
                      < most.getOrDefault(level.substring(0, 1), 0));
    }

    void release(List<String> levels, long now) {
      levels.forEach(level -> released.computeIfAbsent(level, l -> new ArrayList<>()).add(now));
    }
  }

  private static World windows(SplittableRandom random, Model model) {
    var limits = new ArrayList<String>();
    for (int most = 1; most <= 6; most++) {
      limits.add(most + "/1us");
    }
    var world = new World(random, limits);
    world.limits.forEach(
        (level, limit) -> model.most.put(level, Integer.parseInt(limit.substring(0, 1))));
    return world;
  }

  /** A refusal that charged any level would make the model grant what the limiter refuses. */
  @Test
  void aRefusalChargesNoLevelAndAPermitChargesEach() {
    Seeds.forEach(
        300,
        random -> {
          var model = new Model();
          var world = windows(random, model);
          for (int step = 0; step < 400; step++) {
            List<String> levels = new ArrayList<>();
            Limiter limiter = world.any(levels);
            long now = world.time.nanoTime();
            boolean allowed = model.allows(levels, now);
            assertEquals(allowed, limiter.tryAcquire().isPresent(), () -> levels + " at " + now);
            if (allowed) {
              model.release(levels, now);
            }
            if (random.nextInt(3) == 0) {
              world.time.advanceNanos(random.nextLong(400));
            }
          }
        });
  }

  /** With windows, a request waits only if one of its levels has used up its limit. */
  @Test
  void noWaiterWaitsInVain() {
    Seeds.forEach(
        200,
        random -> {
          var model = new Model();
          var world = windows(random, model);
          var waiting = new LinkedHashMap<List<String>, Integer>();
          for (int step = 0; step < 250; step++) {
            List<String> levels = new ArrayList<>();
            Limiter limiter = world.any(levels);
            if (random.nextInt(3) > 0) {
              waiting.merge(levels, 1, Integer::sum);
              var unused =
                  limiter
                      .acquireAsync()
                      .thenAccept(
                          permit -> {
                            model.release(levels, permit.releasedAt());
                            waiting.merge(levels, -1, Integer::sum);
                          });
            } else {
              world.time.advanceNanos(random.nextLong(700));
            }
            long now = world.time.nanoTime();
            waiting.forEach(
                (each, count) ->
                    assertFalse(
                        count > 0 && model.allows(each, now),
                        () -> each + " waits in vain at " + now));
          }
        });
  }
}
