package dev.pacegate.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How the stream of a body ends its request when it is closed. */
@Timeout(60)
class TrackedStreamTest extends AdapterCases {

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
}
