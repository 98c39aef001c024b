package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.time.Time;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One look a second at all that must not be silent. */
class SilenceSweepTest {

  private static final Duration SHORT = Duration.ofMillis(1);

  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
  private final SilenceSweep sweep = new SilenceSweep(vertx, Time.system());
  private final ConcurrentLinkedQueue<Integer> told = new ConcurrentLinkedQueue<>();

  @AfterEach
  void close() {
    Awaited.await(vertx.close());
  }

  private List<Silence> begin(int count, Duration longest) {
    var all = new ArrayList<Silence>();
    for (int i = 0; i < count; i++) {
      int number = i;
      var silence = new Silence(sweep, longest, () -> told.add(number));
      silence.begin();
      all.add(silence);
    }
    return all;
  }

  /** What ends leaves its place to the last. */
  @Test
  void allThatAreLeftAreToldWhicheverEndBefore() throws Exception {
    vertx.runOnContext(
        now -> {
          List<Silence> all = begin(8, SHORT);
          for (int ended : List.of(7, 0, 3, 6, 3)) {
            all.get(ended).end();
          }
          all.get(2).begin(); // it has begun already
        });
    ProxyRig.eventually(() -> told.size() == 4);
    assertEquals(Set.of(1, 2, 4, 5), new TreeSet<>(told));
  }

  @Test
  void oneThatFailsKeepsNoOthersFromBeingTold() throws Exception {
    vertx.exceptionHandler(expected -> {});
    vertx.runOnContext(
        now -> {
          new Silence(
                  sweep,
                  SHORT,
                  () -> {
                    throw new IllegalStateException("expected");
                  })
              .begin();
          begin(1, SHORT);
        });
    ProxyRig.eventually(() -> told.size() == 1);
    assertEquals(List.of(0), List.copyOf(told));
  }

  /** Such as one for want of memory. */
  @Test
  void aSweepThatFailsIsNotTheLast() throws Exception {
    vertx.exceptionHandler(expected -> {});
    var failed = new AtomicBoolean();
    var failing =
        (Vertx)
            Proxy.newProxyInstance(
                Vertx.class.getClassLoader(),
                new Class<?>[] {Vertx.class},
                (proxy, method, args) -> {
                  if (method.getName().equals("runOnContext")
                      && failed.compareAndSet(false, true)) {
                    throw new OutOfMemoryError("expected");
                  }
                  return method.invoke(vertx, args);
                });
    var watched = new Silence(new SilenceSweep(failing, Time.system()), SHORT, () -> told.add(0));
    vertx.runOnContext(now -> watched.begin());
    ProxyRig.eventually(() -> told.size() == 1);
    assertTrue(failed.get());
  }

  /** They are told by later sweeps: those after the end of others, or of all. */
  @Test
  void oneThatIsNotSilentYetIsToldLater() throws Exception {
    var paused = new ArrayList<Silence>();
    vertx.runOnContext(
        now -> {
          paused.addAll(begin(2, SHORT));
          paused.get(0).pause();
        });
    ProxyRig.eventually(() -> told.size() == 1);
    assertEquals(List.of(1), List.copyOf(told));
    vertx.runOnContext(now -> paused.get(0).resume());
    ProxyRig.eventually(() -> told.size() == 2);
    vertx.runOnContext(now -> begin(1, SHORT));
    ProxyRig.eventually(() -> told.size() == 3);
  }
}
