package dev.pacegate.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.adapter.PacedRequest;
import java.net.URI;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import org.junit.jupiter.api.Test;

/** What closing a body does to the permit and to the connection. */
class TrackedSourceTest extends OkHttpCases {

  /** Returns a body of so many bytes, whose response has been received. */
  private TrackedSource body(int bytes) throws Exception {
    var pacing = PacedOkHttp.pacing(paced().build());
    PacedRequest<Response> request =
        pacing.newCall().acquire(request(URI.create("http://localhost/")));
    request.superseded();
    var body = ResponseBody.create(new Buffer().write(new byte[bytes]), null, -1);
    return new TrackedSource(body, request);
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
}
