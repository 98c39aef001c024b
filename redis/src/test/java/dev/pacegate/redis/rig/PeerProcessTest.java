package dev.pacegate.redis.rig;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class PeerProcessTest {

  private static final int SENDERS = 8;
  private static final int EACH = 40;

  @Test
  void countsWhatArrives() throws Exception {
    try (var peer = PeerProcess.start(1, Duration.ofMillis(1), Duration.ofMillis(5))) {
      long before = System.nanoTime();
      sendAll(peer.port());
      long after = System.nanoTime();

      assertEquals(SENDERS * EACH, peer.count());
      Arrivals arrivals = peer.arrivals();
      for (Arrivals.Arrival arrival : arrivals.list()) {
        assertTrue(arrival.at() - before > 0 && after - arrival.at() > 0, "one clock for both");
        assertTrue(arrival.at() - arrival.queuedAt() > 0);
      }
      var report = peer.report(Duration.ofMillis(50));
      assertEquals(SENDERS * EACH, report.count());
      assertEquals(naiveMost(arrivals.list(), 50_000_000), report.most());
      assertEquals(naiveOvertaken(arrivals.list()), report.mostOvertaken());
      assertEquals(arrivals.perSecond(), report.perSecond(), 0.001);

      assertEquals(SENDERS, peer.sendersSince(before).size());
      assertEquals(Set.of(), peer.sendersSince(after));
      try (var connection = new PeerConnection(peer.port())) {
        connection.send(7, 0, after);
      }
      assertEquals(Set.of(7), peer.sendersSince(after));

      peer.reset();
      assertEquals(0, peer.count());
      assertEquals(new PeerProcess.Report(0, 0, 0, 0), peer.report(Duration.ofSeconds(1)));
    }
  }

  @Test
  void answersLate() throws Exception {
    try (var peer = PeerProcess.start(1);
        var connection = new PeerConnection(peer.port())) {
      assertTrue(took(connection) >= 20_000_000);
      peer.delay(Duration.ofMillis(200), Duration.ofMillis(200));
      assertTrue(took(connection) >= 200_000_000);
    }
  }

  private static long took(PeerConnection connection) throws IOException {
    long start = System.nanoTime();
    connection.send(0, 1, start);
    return System.nanoTime() - start;
  }

  private static void sendAll(int port) throws Exception {
    var threads = Executors.newFixedThreadPool(SENDERS);
    try {
      List<Future<?>> ends = new ArrayList<>();
      for (int sender = 0; sender < SENDERS; sender++) {
        int number = sender;
        ends.add(threads.submit(() -> send(port, number)));
      }
      for (Future<?> end : ends) {
        end.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static int send(int port, int sender) throws IOException {
    try (var connection = new PeerConnection(port)) {
      for (int i = 0; i < EACH; i++) {
        connection.send(sender, i, System.nanoTime());
      }
    }
    return EACH;
  }

  @Test
  void judgesLikeANaiveModel() {
    var random = new Random(42);
    for (int round = 0; round < 500; round++) {
      long origin = round % 2 == 0 ? Long.MAX_VALUE - 50 : -50; // instants pass both borders
      List<Arrivals.Arrival> list = new ArrayList<>();
      for (int i = random.nextInt(60); i > 0; i--) {
        long at = origin + random.nextInt(100);
        list.add(new Arrivals.Arrival(at, 0, i, at - random.nextInt(30), at));
      }
      int window = 1 + random.nextInt(40);
      var arrivals = new Arrivals(list);
      assertEquals(naiveMost(list, window), arrivals.most(Duration.ofNanos(window)));
      assertEquals(naiveOvertaken(arrivals.list()), arrivals.mostOvertaken(), list::toString);
    }
  }

  private static int naiveMost(List<Arrivals.Arrival> list, long window) {
    int most = 0;
    for (var first : list) {
      int count = 0;
      for (var other : list) {
        long after = other.at() - first.at();
        count += after >= 0 && after < window ? 1 : 0;
      }
      most = Math.max(most, count);
    }
    return most;
  }

  private static int naiveOvertaken(List<Arrivals.Arrival> inOrder) {
    int most = 0;
    for (int i = 0; i < inOrder.size(); i++) {
      int overtakers = 0;
      for (int j = 0; j < i; j++) {
        overtakers += inOrder.get(j).queuedAt() - inOrder.get(i).queuedAt() > 0 ? 1 : 0;
      }
      most = Math.max(most, overtakers);
    }
    return most;
  }
}
