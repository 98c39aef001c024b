package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Threads that wait for a shared limit are woken when their turn comes, not before. On a busy
 * machine leases come too late, and the first in a line is woken once more for the next ones.
 */
@Tag("idle")
@Timeout(60)
class WakeUpTest {

  private static final int THREADS = 40;

  @Test
  void aThreadIsWokenWhenItsTurnComes(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("parks.jfr");
    try (var server = RedisServer.start(Version.V6_2);
        var one = RedisLimiters.builder(server.uri()).fresh().connect();
        var two = RedisLimiters.builder(server.uri()).fresh().connect();
        var recording = new Recording()) {
      recording.enable("jdk.ThreadPark").withThreshold(Duration.ZERO).withStackTrace();
      recording.start();
      acquire(one.limiter("api", "20/300ms"), two.limiter("api", "20/300ms"));
      recording.stop();
      recording.dump(file);
    }
    List<Integer> parks = parks(file).values().stream().sorted().toList();
    System.out.println("shared limit, how often each thread parked: " + parks);
    assertTrue(parks.size() >= THREADS, parks::toString); // they did wait
    assertEquals(1, parks.get(parks.size() / 2), parks::toString);
    // The first in a line also wakes when its wait has changed.
    int all = parks.stream().mapToInt(Integer::intValue).sum();
    assertTrue(all <= 2.5 * parks.size(), parks::toString);
  }

  private static void acquire(Limiter first, Limiter second) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2 * THREADS);
    try {
      List<Future<?>> calls = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        calls.add(threads.submit((Callable<?>) first::acquire));
        calls.add(threads.submit((Callable<?>) second::acquire));
      }
      for (Future<?> call : calls) {
        call.get(20, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** How often each thread parked in a line. */
  private static Map<Long, Integer> parks(Path file) throws Exception {
    Map<Long, Integer> parks = new HashMap<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
      if (event.getEventType().getName().equals("jdk.ThreadPark") && isInLine(event)) {
        parks.merge(event.getThread("eventThread").getJavaThreadId(), 1, Integer::sum);
      }
    }
    return parks;
  }

  private static boolean isInLine(RecordedEvent event) {
    for (RecordedFrame frame : event.getStackTrace().getFrames()) {
      if (frame.getMethod().getType().getName().equals("dev.pacegate.engine.visit.Parking")) {
        return true;
      }
    }
    return false;
  }
}
