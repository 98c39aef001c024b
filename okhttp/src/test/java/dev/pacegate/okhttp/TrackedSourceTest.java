package dev.pacegate.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.pacegate.adapter.PacedRequest;
import okhttp3.Response;
import okio.Buffer;
import okio.ForwardingSource;
import okio.Timeout;
import org.junit.jupiter.api.Test;

/** What closing a body does to the permit and to the connection. */
class TrackedSourceTest extends OkHttpCases {

  private final Timeout timeout = new Timeout();

  /** Returns a body of so many bytes, whose response has been received. */
  private TrackedSource body(int bytes) throws Exception {
    var pacing = PacedOkHttp.pacing(paced().build());
    PacedRequest<Response> request = pacing.newCall().acquire(request("http://localhost/"));
    request.superseded();
    var source =
        new ForwardingSource(new Buffer().write(new byte[bytes])) {
          @Override
          public Timeout timeout() {
            return timeout;
          }
        };
    return new TrackedSource(source, request);
  }

  @Test
  void aShortRestIsRead() throws Exception {
    body(60_000).close();
    assertPermits(1);
  }

  @Test
  void aLongRestIsLost() throws Exception {
    body(600_000).close();
    assertEquals(0, limiter.snapshot().open());
    assertEquals(1, limiter.snapshot().lost());
  }

  /** The next response on the connection has the same time-out. */
  @Test
  void theDeadlineOfTheConnectionIsAsBefore() throws Exception {
    body(5).close();
    assertFalse(timeout.hasDeadline());
    timeout.deadlineNanoTime(Long.MAX_VALUE);
    body(5).close();
    assertEquals(Long.MAX_VALUE, timeout.deadlineNanoTime());
  }
}
