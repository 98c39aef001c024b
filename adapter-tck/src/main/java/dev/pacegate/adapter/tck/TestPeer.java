package dev.pacegate.adapter.tck;

import dev.pacegate.adapter.tck.H2Server.H2Stream;
import dev.pacegate.adapter.tck.RawServer.Connection;
import dev.pacegate.adapter.tck.RawServer.Received;
import java.io.IOException;
import java.net.URI;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** The servers of one case. Over HTTP/1.1 a request's path says what becomes of it. */
final class TestPeer implements AutoCloseable {

  private static final String HALF = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello";
  private static final String CHUNK =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
  private static final long SLOW_MILLIS = 40;

  private final SplittableRandom fates;
  private final AtomicInteger turns = new AtomicInteger();
  private volatile boolean storm; // over HTTP/2
  private final RawServer raw;
  private final H2Server h2;

  TestPeer(long seed) throws IOException {
    this.fates = new SplittableRandom(seed);
    this.raw = new RawServer(this::answer);
    this.h2 = new H2Server(this::answer);
  }

  /** Returns the address of a path over HTTP/1.1. */
  URI http1(String path) {
    return raw.uri(path);
  }

  /** Returns an address over HTTP/2, where requests are not read. */
  URI http2(boolean storm) {
    this.storm = storm;
    return h2.uri("/");
  }

  int arrivals() {
    return raw.arrivals() + h2.arrivals();
  }

  /** Returns the requests in the order of their arrivals. */
  List<Seen> seen() {
    return Stream.concat(raw.seen().stream(), h2.seen().stream())
        .sorted(Comparator.comparingLong(each -> each.arrived))
        .toList();
  }

  private void answer(Received request, Connection connection) throws Exception {
    String path = request.path();
    switch (path) {
      case "/private" -> answerPrivate(request, connection);
      case "/stale" -> answerStale(request, connection);
      case "/busy" -> answerBusy(turns.getAndIncrement(), connection);
      case "/limited" -> {
        if (turns.getAndIncrement() == 0) {
          connection.status(429, "Retry-After: 1");
        } else {
          connection.ok("hello");
        }
      }
      case "/stall" -> connection.socket().getInputStream().read(); // until the client closes
      case "/cut" -> {
        connection.write(turns.getAndIncrement() % 2 == 0 ? HALF : CHUNK);
        connection.close();
      }
      case "/slow" -> {
        connection.write(HALF);
        Thread.sleep(SLOW_MILLIS); // for a permit that ends too early
        connection.write("hello");
      }
      case "/storm" -> storm(request, connection);
      default -> answerRedirect(path, connection);
    }
  }

  /** Clients differ in whether they retry if the server does not tell when. */
  private static void answerBusy(int turn, Connection connection) throws IOException {
    if (turn % 2 == 1) {
      connection.ok("hello");
    } else if (turn % 4 == 0) {
      connection.status(503, "Retry-After: 0");
    } else {
      connection.status(503);
    }
  }

  private static void answerPrivate(Received request, Connection connection) throws IOException {
    if (request.headers().containsKey("authorization")) {
      connection.ok("hello");
    } else {
      connection.status(401, "WWW-Authenticate: Basic realm=\"test\"");
    }
  }

  /** As a server that has just closed an idle connection. */
  private static void answerStale(Received request, Connection connection) throws IOException {
    if (request.number() % 2 == 0) {
      connection.close();
    } else {
      connection.ok("hello");
    }
  }

  /** {@code /redirect/2} redirects twice; any other path is answered. */
  private static void answerRedirect(String path, Connection connection) throws IOException {
    int left = path.startsWith("/redirect/") ? path.charAt(path.length() - 1) - '0' : 0;
    if (left > 0) {
      connection.status(302, "Location: /redirect/" + (left - 1));
    } else {
      connection.ok("hello");
    }
  }

  private synchronized int fate(int bound) {
    return fates.nextInt(bound);
  }

  private void storm(Received request, Connection connection) throws Exception {
    switch (fate(16)) {
      case 0 -> connection.close();
      case 1 -> connection.reset();
      case 2 -> connection.socket().getInputStream().read();
      case 3 -> {
        connection.write(HALF);
        connection.close();
      }
      case 4 -> connection.status(302, "Location: /storm");
      case 5 -> connection.status(307, "Location: /storm");
      case 6 -> answerPrivate(request, connection);
      case 7 -> connection.status(408);
      case 8 -> connection.status(503);
      case 9 -> connection.status(503, "Retry-After: 0");
      case 10 -> connection.write("nonsense\r\n\r\n");
      default -> connection.ok("hello");
    }
  }

  private void answer(int arrival, H2Stream stream) throws IOException {
    if (storm) {
      storm(stream);
      return;
    }
    switch (arrival % 4) {
      case 1 -> stream.redirect("/");
      case 2 -> stream.reset(7); // refused
      default -> stream.ok("hello");
    }
  }

  private void storm(H2Stream stream) throws IOException {
    switch (fate(20)) {
      case 0 -> stream.socket().close();
      case 1 -> stream.reset(7);
      case 2 -> stream.reset(2);
      case 3 -> {
        stream.half();
        stream.reset(2);
      }
      case 4 -> stream.goAway();
      case 5 -> stream.redirect("/");
      case 6 -> {} // stalls
      default -> stream.ok("hello");
    }
  }

  @Override
  public void close() throws IOException {
    raw.close();
    h2.close();
  }
}
