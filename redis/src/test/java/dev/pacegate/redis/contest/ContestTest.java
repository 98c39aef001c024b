package dev.pacegate.redis.contest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.redis.rig.PeerProcess;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What Pacegate and other libraries let through when three processes share a limit; the figures are
 * printed. The long tests hold that the contest is fair: they get on, which asks for a machine that
 * does nothing else, and what they send is counted.
 */
@Timeout(300)
class ContestTest {

  private static final int MOST = 50;
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration DURATION = Duration.ofSeconds(10);

  private static Contest.Result run(Class<?> worker, String variant) throws Exception {
    Contest.Result result = run(worker, variant, INTERVAL, DURATION);
    assertEquals(0, result.failed());
    assertTrue(result.peer().perSecond() > MOST / 2.0, result::toString);
    return result;
  }

  private static Contest.Result run(
      Class<?> worker, String variant, Duration interval, Duration duration) throws Exception {
    try (var redis = RedisServer.start(Version.V6_2);
        var peer = PeerProcess.start(1)) {
      var load =
          new Load(redis.uri(), "limit", MOST, interval, peer.port(), 0, 4, duration, variant);
      Contest.Result result = Contest.run(worker, 3, peer, load);
      System.out.println(worker.getSimpleName() + " " + result);
      return result;
    }
  }

  @Test
  @Tag("slow")
  void pacegateLetsNoMoreThroughForAWhile() throws Exception {
    var result =
        run(PacegateWorker.class, "fresh", Duration.ofMillis(500), Duration.ofMillis(2500));
    assertTrue(result.peer().count() > 0, result::toString);
    assertTrue(result.peer().most() <= MOST, result::toString);
  }

  @Test
  @Tag("heavy")
  void bucket4jGreedyCountsItsBurstTwice() throws Exception {
    // A bucket that is full at first lets its burst and a whole refill through in one interval.
    var result = run(Bucket4jWorker.class, "greedy");
    assertTrue(result.peer().most() > MOST, result::toString);
  }

  @Test
  @Tag("heavy")
  void bucket4jIntervally() throws Exception {
    run(Bucket4jWorker.class, "intervally");
  }

  @Test
  @Tag("heavy")
  void redisson() throws Exception {
    run(RedissonWorker.class, "");
  }

  @Test
  @Tag("heavy")
  void pacegateLetsNoMoreThrough() throws Exception {
    var result = run(PacegateWorker.class, "peer");
    assertTrue(result.peer().most() <= MOST, result::toString);
  }
}
