package dev.pacegate.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Upstreams that are gone of a sudden: their kernel resets what was there. */
@Timeout(120)
class KilledUpstreamTest {

  private static final int MOST = 20;
  private static final long WINDOW_NANOS = 300_000_000;

  private final Queue<String> arrived = new ConcurrentLinkedQueue<>();
  private final Queue<Long> instants = new ConcurrentLinkedQueue<>();
  private final Set<String> answered = ConcurrentHashMap.newKeySet();
  private final Queue<Integer> statuses = new ConcurrentLinkedQueue<>();
  private final AtomicInteger held = new AtomicInteger(); // arrived and not answered
  private volatile boolean holds;
  private volatile boolean going = true;

  private void answer(RawUpstream.Wire wire) throws Exception {
    while (wire.readHead()) {
      instants.add(System.nanoTime());
      arrived.add(wire.text().split(" ", -1)[1]);
      if (holds) {
        held.incrementAndGet();
        wire.drain();
        return;
      }
      wire.seen().reset();
      wire.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    }
  }

  /** What it has counted before it was killed, it may count still. */
  @Test
  void oneThatComesBackGetsEachRequestOnceAtMostAndNeverTooMany() throws Exception {
    RawUpstream upstream = RawUpstream.onALowPort(this::answer);
    int port = upstream.port();
    try (var rig =
        new ProxyRig(Limiter.of("peer(20/300ms, unanswered=100ms)"), port, options -> options)) {
      List<Thread> clients =
          IntStream.range(0, 40).mapToObj(i -> new Thread(() -> ask(rig, "/" + i + "/"))).toList();
      clients.forEach(Thread::start);
      try {
        for (int i = 0; i < 3; i++) {
          awaitMore(200, count(200));
          holds = true;
          ProxyRig.eventually(() -> held.get() == MOST);
          holds = false;
          held.set(0);
          long lost = count(502);
          upstream.kill();
          upstream = new RawUpstream(port, this::answer);
          awaitMore(502, lost);
        }
        awaitMore(200, count(200));
      } finally {
        going = false;
      }
      for (Thread client : clients) {
        client.join();
      }
      rig.atRest();
    } finally {
      upstream.close();
    }
    assertEquals(Set.of(200, 502), new HashSet<>(statuses));
    assertEquals(arrived.size(), new HashSet<>(arrived).size(), "none is sent twice");
    assertTrue(arrived.containsAll(answered), "each answer is that of the upstream");
    long[] sorted = instants.stream().mapToLong(Long::longValue).sorted().toArray();
    for (int i = MOST; i < sorted.length; i++) {
      assertTrue(sorted[i] - sorted[i - MOST] >= WINDOW_NANOS, "at " + i);
    }
  }

  private void ask(ProxyRig rig, String prefix) {
    for (int i = 0; going; i++) {
      String target = prefix + i;
      int status = get(rig, target).handle((got, lost) -> lost == null ? got : -1).join();
      if (status == 200) {
        answered.add(target);
      }
      statuses.add(status);
    }
  }

  private static CompletableFuture<Integer> get(ProxyRig rig, String target) {
    return rig.client
        .sendAsync(HttpRequest.newBuilder(rig.uri(target)).build(), BodyHandlers.ofString())
        .thenApply(answer -> answer.statusCode());
  }

  private void awaitMore(int status, long before) throws InterruptedException {
    ProxyRig.eventually(() -> count(status) >= before + MOST);
  }

  private long count(int status) {
    return statuses.stream().filter(got -> got == status).count();
  }

  /** What is left of the answer never comes: its client must not take it for whole. */
  @ParameterizedTest
  @ValueSource(
      strings = {"Content-Length: 100\r\n\r\nhalf", "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf"})
  void aResetInMidBodyIsLostAndTheNextGoes(String half) throws Exception {
    var read = new CompletableFuture<Void>();
    try (var upstream =
            new RawUpstream(
                wire -> {
                  wire.readHead();
                  boolean first = wire.number() == 0;
                  wire.write(
                      "HTTP/1.1 200 OK\r\n" + (first ? half : "Content-Length: 2\r\n\r\nok"));
                  if (first) {
                    read.join();
                    wire.socket().setSoLinger(true, 0);
                  }
                });
        var rig = new ProxyRig(Limiter.of("concurrent(1)"), upstream.port(), options -> options)) {
      try (var socket = rig.connect()) {
        socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(US_ASCII));
        assertEquals('H', socket.getInputStream().read());
        CompletableFuture<Integer> next = get(rig, "/next");
        ProxyRig.eventually(() -> rig.limiter.snapshot().waiting() == 1);
        read.complete(null);
        String rest = new String(socket.getInputStream().readAllBytes(), US_ASCII);
        assertFalse(rest.endsWith("0\r\n\r\n") || rest.contains("pacegate"), rest);
        assertEquals(200, next.get());
      }
      rig.atRest();
      assertEquals(1, rig.limiter.snapshot().lost());
      assertEquals(2, upstream.wires.size());
    }
  }
}
