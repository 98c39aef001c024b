package dev.pacegate.adapter;

import static java.time.Duration.ofMillis;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the stream of a body ends its request when it is closed. */
@Timeout(60)
class TrackedStreamTest extends AdapterCases {

  /** A body that the peer sends for ever, such as events; counts what is read. */
  private static class Endless extends InputStream {
    long bytes;

    /** What one read returns at most. */
    int chunk(int length) {
      return length;
    }

    @Override
    public int read() {
      return 0;
    }

    @Override
    public int read(byte[] into, int from, int length) {
      int read = chunk(length);
      bytes += read;
      if (bytes > 10_000_000) {
        throw new AssertionError("reads for ever");
      }
      return read;
    }
  }

  private void close(InputStream body) throws Exception {
    close(Reply.of(200, ""), body);
  }

  private void close(Reply response, InputStream body) throws Exception {
    PacedRequest<Reply> request = take(options());
    request.received(response);
    request.body(body).close();
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void aBodyWithoutEndIsBrokenOffWhenItIsClosed() throws Exception {
    var body = new Endless();
    close(body);
    assertEquals(1, limiter.snapshot().lost());
    assertEquals(64 * 1024, body.bytes);
  }

  @Test
  void aSlowBodyIsBrokenOffWhenItIsClosed() throws Exception {
    var body =
        new Endless() {
          @Override
          int chunk(int length) {
            time.advance(ofMillis(400));
            return 1;
          }
        };
    close(body);
    assertEquals(1, limiter.snapshot().lost());
    assertEquals(3, body.bytes, "a second has passed");
  }

  /** To read the next event could take hours. */
  @ParameterizedTest
  @ValueSource(
      strings = {"text/event-stream", "Text/Event-Stream; charset=utf-8", "application/x-ndjson"})
  void aStreamOfEventsIsNotReadOnWhenItIsClosed(String type) throws Exception {
    var body = new Endless();
    close(Reply.of(200, "").with("Content-type", type), body);
    assertEquals(1, limiter.snapshot().lost());
    assertEquals(0, body.bytes);
  }

  /** A caller may stop at the last event, just before the end. */
  @Test
  void theEndOfAStreamOfEventsIsReadIfItIsThere() throws Exception {
    var body =
        new ByteArrayInputStream(new byte[3]) {
          @Override
          public int available() {
            return 1; // the JDK's client tells of the end, too
          }
        };
    close(Reply.of(200, "").with("Content-Type", "text/event-stream"), body);
    assertEquals(0, limiter.snapshot().lost());
  }

  @Test
  void aShortRestIsReadWhenABodyIsClosed() throws Exception {
    close(new ByteArrayInputStream(new byte[64 * 1024 - 1]));
    assertEquals(0, limiter.snapshot().lost());
  }

  /** A client may collect the body through the stream before it tells of the response. */
  @Test
  void aBodyThatIsClosedAfterItsEndIsSettled() throws Exception {
    var settled = new AtomicInteger();
    Options options =
        options()
            .settle(
                (response, cost) -> {
                  settled.incrementAndGet();
                  return cost;
                });
    PacedRequest<Reply> request = take(options);
    try (InputStream body = request.body(new ByteArrayInputStream(new byte[3]))) {
      assertEquals(3, body.readAllBytes().length);
    }
    request.received(Reply.of(200, ""));
    assertEquals(1, settled.get());
    assertEquals(0, limiter.snapshot().open());
  }

  /** Some clients read on when a stream is closed, and would never come back. */
  @Test
  void aBodyThatIsAbortedIsNotClosed() throws Exception {
    var events = new ArrayList<String>();
    for (InputStream body : List.of(new Endless(), InputStream.nullInputStream())) {
      var closing =
          new FilterInputStream(body) {
            @Override
            public void close() {
              events.add("close");
            }
          };
      PacedRequest<Reply> request = take(options());
      request.received(Reply.of(200, ""));
      request.body(closing, () -> events.add("abort")).close();
    }
    assertEquals(List.of("abort", "close"), events);
  }
}
