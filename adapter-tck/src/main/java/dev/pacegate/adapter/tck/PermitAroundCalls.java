package dev.pacegate.adapter.tck;

import dev.pacegate.Limiter;
import java.net.URI;
import java.time.Duration;

/** A client that is not paced, with one permit around each call: no adapter. */
record PermitAroundCalls(Limiter limiter, ClientUnderTest client) implements ClientUnderTest {

  @Override
  public ClientCall newCall(String method, URI target, Duration timeout) {
    ClientCall call = client.newCall(method, target, timeout);
    return ClientCall.ofBlocking(() -> limiter.call(call::execute), call::cancel);
  }

  @Override
  public void close() throws Exception {
    client.close();
  }
}
