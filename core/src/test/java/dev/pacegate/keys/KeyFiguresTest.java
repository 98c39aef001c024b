package dev.pacegate.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.PeerSays;
import dev.pacegate.Permit;
import dev.pacegate.Quota;
import dev.pacegate.Snapshot;
import dev.pacegate.WaitHistogram;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Seeds;
import dev.pacegate.time.ManualTime;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BinaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The figures of a key are those of its requests, and those of all keys are their sum. */
class KeyFiguresTest {

  private static final List<String> KEYS = List.of("a", "b", "c");

  /** Things happen to the requests of three keys, which owe for a day and so are not dropped. */
  private static final class World {

    final SplittableRandom random;
    final ManualTime time = ManualTime.manual();
    final Limiter all =
        Limiter.builder("concurrent(9)")
            .time(time)
            .executor(Runnable::run)
            .late(Duration.ofMillis(500))
            .build();
    final KeyedLimiter<String> keyed =
        KeyedLimiter.builder("peer(3/2s, abandon=1m) & 5000/1d").within(all).build();
    final List<Permit> open = new ArrayList<>();
    final List<CompletableFuture<Permit>> places = new ArrayList<>();
    Limiter key;

    World(SplittableRandom random) {
      this.random = random;
      this.key = keyed.limiter("a");
      for (String each : KEYS) {
        keyed.tryAcquire(each).ifPresent(open::add);
      }
    }

    void step() {
      key = keyed.limiter(KEYS.get(random.nextInt(KEYS.size())));
      switch (random.nextInt(10)) {
        case 0, 1 -> key.tryAcquire(Cost.ONE).ifPresent(open::add);
        case 2, 3 -> ask();
        case 4 -> takeAny(places).ifPresent(place -> place.cancel(false));
        case 5 -> takeAny(open).ifPresent(permit -> permit.failed(new IllegalArgumentException()));
        case 6 -> takeAny(open).ifPresent(Permit::close);
        case 7 -> hear();
        case 8 -> all.dryRun(random.nextInt(4) == 0);
        default -> time.advance(Duration.ofMillis(random.nextInt(1500)));
      }
      places.removeIf(CompletableFuture::isDone);
    }

    private void ask() {
      CompletableFuture<Permit> place = key.acquireAsync(Duration.ofSeconds(random.nextInt(20)));
      var unused = place.thenAccept(open::add);
      places.add(place);
    }

    private void hear() {
      if (!open.isEmpty()) {
        Permit permit = open.get(random.nextInt(open.size()));
        permit.sending();
        PeerSays.quota(key, permit, Quota.remaining(0).withWindow(Duration.ofSeconds(2)));
      }
      if (random.nextInt(5) == 0) {
        key.peerRefused(Duration.ofSeconds(1));
      }
    }

    private <T> Optional<T> takeAny(List<T> some) {
      return some.isEmpty()
          ? Optional.empty()
          : Optional.of(some.remove(random.nextInt(some.size())));
    }

    Map<String, Long> ofAll() {
      return figures(all.snapshot());
    }

    Map<String, Long> sum() {
      var sum = new TreeMap<String, Long>();
      for (String each : KEYS) {
        figures(keyed.limiter(each).snapshot())
            .forEach((name, figure) -> sum.merge(name, figure, plus(name)));
      }
      return sum;
    }

    private static BinaryOperator<Long> plus(String name) {
      return name.startsWith("oldest") ? Math::max : Long::sum;
    }
  }

  /** Returns whatever is a number or a duration, so that a new figure is tried as well. */
  private static Map<String, Long> figures(Snapshot snapshot) {
    var figures = new TreeMap<String, Long>();
    Stream.of(Snapshot.class.getMethods())
        .forEach(
            figure -> {
              Object value = value(snapshot, figure);
              if (figure.getName().equals("spentByLost")) {
                return; // it is of one limit, and all keys together have another
              }
              if (value instanceof Number number) {
                figures.put(figure.getName(), number.longValue());
              } else if (value instanceof Duration duration) {
                figures.put(figure.getName(), duration.toNanos());
              }
            });
    WaitHistogram waits = snapshot.waits();
    for (int power = 0; power < 64; power += 3) {
      figures.put("waits below 2^" + power, waits.countBelow(power));
    }
    figures.put("waits", waits.total().toNanos());
    return figures;
  }

  private static Object value(Snapshot snapshot, Method figure) {
    try {
      figure.setAccessible(true);
      return figure.invoke(snapshot);
    } catch (ReflectiveOperationException impossible) {
      throw new LinkageError(impossible.getMessage(), impossible);
    }
  }

  @Test
  void figuresOfAllKeysAreTheSumOfThoseOfEach() {
    var most = new TreeMap<String, Long>();
    Seeds.forEach(
        200,
        random -> {
          var world = new World(random);
          for (int i = 0; i < 200; i++) {
            world.step();
            assertEquals(world.ofAll(), world.sum());
          }
          world.sum().forEach((name, figure) -> most.merge(name, figure, Math::max));
        });
    most.forEach((name, figure) -> assertTrue(figure > 0, name + " was never more than 0"));
  }

  @Test
  void figuresOfAKeyLeaveOutWhatHappensToOthers() {
    var world = new World(new SplittableRandom(1));
    Map<String, Long> before = figures(world.keyed.limiter("b").snapshot());
    Limiter a = world.keyed.limiter("a");
    a.peerRefused(Duration.ofSeconds(1));
    assertTrue(a.tryAcquire().isEmpty());
    world.open.get(0).lost();
    world.all.peerRefused(Duration.ofSeconds(1));
    Snapshot now = a.snapshot();
    assertEquals(List.of(1L, 1L, 1L), List.of(now.refusedByPeer(), now.refused(), now.lost()));
    assertEquals(2, world.all.snapshot().refusedByPeer());
    assertEquals(before, figures(world.keyed.limiter("b").snapshot()));
  }
}
