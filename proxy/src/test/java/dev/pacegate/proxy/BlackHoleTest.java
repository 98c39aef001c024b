package dev.pacegate.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.DataInputStream;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Upstreams that say nothing at all: each request is answered, and none stays behind. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BlackHoleTest {

  private static final Duration SHORT = Duration.ofMillis(200);
  private static final Duration SECOND = Duration.ofSeconds(1); // long enough to connect
  private static final int HEADERS = 1; // a type of frames, as is the next
  private static final int PING = 6;
  private static final int LARGE = 20_000_000; // more than the kernel takes
  private static final Duration LONG = Duration.ofMinutes(5);

  private static PacedProxy.ProxyBuilder silentFor(
      Duration silence, PacedProxy.ProxyBuilder options) {
    return options.times(LONG, silence).maxWait(LONG);
  }

  /** The kernel takes connections for it, and some bytes of each. */
  private static ServerSocket neverAccepting() throws Exception {
    return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  /** What waits goes once the permit of the one before is over, also if that is lost. */
  @Test
  void anUpstreamThatNeverAcceptsIsAskedByAllThatWaitOneAfterTheOther() throws Exception {
    try (var silent = neverAccepting();
        var rig =
            new ProxyRig(
                Limiter.of("concurrent(1)"),
                silent.getLocalPort(),
                options -> silentFor(SHORT, options))) {
      var answers = new ArrayList<CompletableFuture<HttpResponse<String>>>();
      for (int i = 0; i < 3; i++) {
        answers.add(
            rig.client.sendAsync(
                HttpRequest.newBuilder(rig.uri("/" + i)).build(), BodyHandlers.ofString()));
      }
      for (var answer : answers) {
        assertEquals(504, answer.get().statusCode());
      }
      rig.atRest();
      assertEquals(3, rig.limiter.snapshot().lost());
    }
  }

  /** What was written and never read must not keep the connection. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void anUploadIntoNothingIsLeftWithItsConnection() throws Exception {
    try (var silent = neverAccepting();
        var rig =
            new ProxyRig(
                Limiter.of("peer(10/1h)"),
                silent.getLocalPort(),
                options -> silentFor(SHORT, options))) {
      assertEquals(504, rig.send(upload(rig, new AtomicInteger())).statusCode());
      rig.atRest();
      ProxyRig.eventually(() -> KernelSockets.ESTABLISHED.to(silent.getLocalPort()) == 0);
    }
  }

  private static HttpRequest.Builder upload(ProxyRig rig, AtomicInteger read) {
    var body =
        new InputStream() {
          @Override
          public int read() {
            return read.incrementAndGet() < LARGE ? 0 : -1;
          }

          @Override
          public int read(byte[] bytes, int offset, int length) {
            return read.addAndGet(length) < LARGE ? length : -1;
          }
        };
    return HttpRequest.newBuilder(rig.uri("/")).POST(BodyPublishers.ofInputStream(() -> body));
  }

  @Test
  void anUploadIntoNothingHoldsNoEndUp() throws Exception {
    try (var silent = neverAccepting();
        var rig =
            new ProxyRig(
                Limiter.of("peer(10/1h)"),
                silent.getLocalPort(),
                options -> silentFor(LONG, options))) {
      assertEndsInMidUpload(rig);
    }
  }

  private static void assertEndsInMidUpload(ProxyRig rig) throws Exception {
    var read = new AtomicInteger();
    var answer = rig.client.sendAsync(upload(rig, read).build(), BodyHandlers.discarding());
    ProxyRig.eventually(() -> rig.limiter.snapshot().open() == 1);
    awaitHalt(read);
    rig.proxy.close();
    assertThrows(ExecutionException.class, answer::get);
    rig.atRest();
  }

  /** Waits until it has grown, and grows no more. */
  private static void awaitHalt(AtomicInteger count) throws InterruptedException {
    var last = new AtomicInteger();
    var same = new AtomicInteger();
    ProxyRig.eventually(
        () -> {
          int now = count.get();
          if (now == 0 || last.getAndSet(now) != now) {
            same.set(0);
          }
          return same.incrementAndGet() > 40;
        });
  }

  @Test
  void aClientThatTakesNothingHoldsNoEndUp() throws Exception {
    var written = new AtomicInteger();
    try (var rig =
            new ProxyRig(
                "peer(10/1h)",
                exchange -> {
                  exchange.sendResponseHeaders(200, LARGE);
                  for (int i = 0; i < LARGE / 10_000; i++) {
                    exchange.getResponseBody().write(new byte[10_000]);
                    written.incrementAndGet();
                  }
                });
        Socket client = rig.connect()) {
      client.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII));
      awaitHalt(written);
      rig.proxy.close();
      assertTrue(client.getInputStream().readAllBytes().length < LARGE);
      rig.atRest();
    }
  }

  /** It offers to take as much as there is, and then reads nothing. */
  @Test
  void anUploadIntoNothingHoldsNoEndUpInHttp2() throws Exception {
    try (var upstream =
            new RawUpstream(
                wire -> {
                  greet(wire);
                  new CountDownLatch(1).await();
                });
        var rig = http2Rig(upstream, LONG)) {
      assertEndsInMidUpload(rig);
    }
  }

  /** Settings with the largest window, and room for all streams. */
  private static void greet(RawUpstream.Wire wire) throws Exception {
    wire.write("\0\0\6\4\0\0\0\0\0\0\4\177\377\377\377");
    wire.write("\0\0\4\b\0\0\0\0\0\177\377\0\0");
  }

  private static ProxyRig http2Rig(RawUpstream upstream, Duration silence) {
    return new ProxyRig(
        Limiter.of("peer(10/1h, unanswered=0s)"),
        URI.create("h2c://127.0.0.1:" + upstream.port()),
        options -> silentFor(silence, options).connect(SECOND));
  }

  /** Its first connection is dead, and others would be sent on it as well. */
  @Test
  void aConnectionOfHttp2ThatAnswersNoPingIsNotUsedAgain() throws Exception {
    try (var upstream =
            new RawUpstream(
                wire -> {
                  greet(wire);
                  wire.drain();
                });
        var rig = http2Rig(upstream, SHORT)) {
      assertEquals(504, rig.get("/").statusCode());
      ProxyRig.eventually(() -> upstream.ended.size() == 1);
      assertEquals(504, rig.get("/").statusCode());
      assertEquals(2, upstream.wires.size());
      rig.atRest();
    }
  }

  /** Most clients have less patience than the proxy, and would go into the hole one by one. */
  @Test
  void aConnectionOfHttp2IsPingedOnceWhenClientsGiveUp() throws Exception {
    var frames = new LinkedBlockingQueue<Integer>();
    var seen = new ArrayList<Integer>();
    try (var upstream =
            new RawUpstream(
                wire -> {
                  greet(wire);
                  wire.read(24); // the preface
                  readFrames(wire, frames);
                });
        var rig = http2Rig(upstream, LONG)) {
      var answers = new ArrayList<CompletableFuture<HttpResponse<Void>>>();
      for (int i = 0; i < 2; i++) { // the second on the connection of the first
        answers.add(
            rig.client.sendAsync(
                HttpRequest.newBuilder(rig.uri("/")).build(), BodyHandlers.discarding()));
        awaitFrame(HEADERS, frames, seen);
      }
      answers.forEach(answer -> answer.cancel(true));
      ProxyRig.eventually(() -> upstream.ended.size() == 1);
      frames.drainTo(seen);
      assertEquals(1, Collections.frequency(seen, PING), seen::toString);
      assertEquals(1, upstream.wires.size());
      rig.atRest();
    }
  }

  private static void awaitFrame(int type, BlockingQueue<Integer> frames, List<Integer> seen)
      throws Exception {
    do {
      seen.add(frames.take());
    } while (seen.get(seen.size() - 1) != type);
  }

  /** Takes the types of frames, until the connection ends. */
  private static void readFrames(RawUpstream.Wire wire, BlockingQueue<Integer> types)
      throws Exception {
    var in = new DataInputStream(wire.socket().getInputStream());
    while (true) {
      int lengthAndType = in.readInt();
      types.add(lengthAndType & 0xff);
      in.readNBytes(5 + (lengthAndType >>> 8));
    }
  }

  /** The answer to a ping may stand behind much else. */
  @Test
  void anyBytesAreASignOfLife() {
    var ended = new AtomicInteger();
    var channel = new EmbeddedChannel(new SignOfLife(ended::incrementAndGet));
    channel.writeInbound("bytes");
    assertEquals("bytes", channel.readInbound());
    assertEquals(1, ended.get());
    assertNull(channel.pipeline().get(SignOfLife.class));
  }

  /** A client that gives up before the upstream is given up. */
  @Test
  void aClientThatGoesNeedNotWaitForTheEndOfTheSilence() throws Exception {
    try (var silent = neverAccepting();
        var rig =
            new ProxyRig(
                Limiter.of("peer(1/1h)"),
                silent.getLocalPort(),
                options -> silentFor(LONG, options))) {
      var asked =
          rig.client.sendAsync(
              HttpRequest.newBuilder(rig.uri("/")).build(), BodyHandlers.discarding());
      try (Socket taken = silent.accept()) {
        assertEquals('G', taken.getInputStream().read());
        asked.cancel(true);
        taken.setSoTimeout((int) ProxyRig.PATIENCE.toMillis());
        taken.getInputStream().readAllBytes(); // to its end
      }
      rig.atRest();
      assertEquals(1, rig.limiter.snapshot().lost(), "it may have been counted");
    }
  }

  /** Its permits are given back, or the second request would find none. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void aConnectionThatIsNeverMadeTakesNoPermit() throws Exception {
    try (var full = new FullBacklog();
        var rig =
            new ProxyRig(
                Limiter.of("peer(1/1h)"), full.port(), options -> options.connect(SHORT))) {
      for (int i = 0; i < 2; i++) {
        HttpResponse<String> answer = rig.get("/");
        assertEquals(502, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains("cannot be reached"), answer.body());
      }
      rig.atRest();
    }
  }

  /** They would pile up as fast as the limit lets requests go. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void noSocketAsksForAConnectionAfterItsRequest() throws Exception {
    try (var full = new FullBacklog();
        var rig =
            new ProxyRig(
                Limiter.of("peer(100/1s)"), full.port(), options -> options.connect(SECOND))) {
      var answer =
          rig.client.sendAsync(
              HttpRequest.newBuilder(rig.uri("/")).build(), BodyHandlers.discarding());
      ProxyRig.eventually(() -> KernelSockets.ASKING.to(full.port()) == 1);
      assertEquals(502, answer.get().statusCode());
      ProxyRig.eventually(() -> KernelSockets.ASKING.to(full.port()) == 0);
      rig.atRest();
    }
  }

  /** The request was refused, so nothing of it may be sent. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void aConnectionThatIsMadeForAClientThatHasGoneCarriesNothing() throws Exception {
    try (var full = new FullBacklog();
        var rig =
            new ProxyRig(Limiter.of("peer(1/1h)"), full.port(), options -> options.connect(LONG))) {
      var answer =
          rig.client.sendAsync(
              HttpRequest.newBuilder(rig.uri("/")).build(), BodyHandlers.discarding());
      ProxyRig.eventually(() -> KernelSockets.ASKING.to(full.port()) == 1);
      answer.cancel(true);
      ProxyRig.eventually(() -> rig.proxy.open() == 0);
      try (Socket made = full.next()) {
        made.setSoTimeout((int) ProxyRig.PATIENCE.toMillis());
        assertEquals(0, made.getInputStream().readAllBytes().length);
      }
      rig.atRest();
      assertEquals(0, rig.limiter.snapshot().lost());
      assertTrue(rig.limiter.tryAcquire().isPresent(), "it was given back");
    }
  }

  /** TLS: the connection is there, and the handshake never begins. */
  @Test
  void aHandshakeThatIsNeverAnsweredTakesNoPermit() throws Exception {
    try (var silent = neverAccepting();
        var limiter = Limiter.of("peer(1/1h)");
        var proxy =
            PacedProxy.builder(URI.create("https://localhost:" + silent.getLocalPort()))
                .limiter(limiter)
                .connect(SHORT)
                .start();
        var rig = new ProxyRig("unlimited", exchange -> {})) {
      for (int i = 0; i < 2; i++) {
        assertEquals(502, get(rig, proxy));
      }
      ProxyRig.eventually(() -> proxy.open() == 0 && limiter.snapshot().open() == 0);
      try (Socket left = silent.accept()) {
        left.setSoTimeout((int) ProxyRig.PATIENCE.toMillis());
        left.getInputStream().readAllBytes(); // to its end
      }
    }
  }

  private static int get(ProxyRig rig, PacedProxy proxy)
      throws ExecutionException, InterruptedException {
    int port = proxy.address().getPort();
    var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/")).build();
    return rig.client.sendAsync(request, BodyHandlers.discarding()).get().statusCode();
  }
}
