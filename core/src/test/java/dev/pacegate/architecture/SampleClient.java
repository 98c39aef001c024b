package dev.pacegate.architecture;

import dev.pacegate.adapter.InterceptedCall;
import dev.pacegate.adapter.MessageReader;
import dev.pacegate.adapter.PacedCall;
import dev.pacegate.adapter.PacedRequest;
import dev.pacegate.adapter.PacingOptions;
import dev.pacegate.adapter.RequestPacing;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What an adapter of a client consists of. */
final class SampleClient extends PacingOptions<Object, Object, SampleClient> {

  private SampleClient() {
    super(new Messages());
  }

  static RequestPacing<Object, Object> sample() {
    return new SampleClient().limit("100/1m").pacing();
  }

  static Stream<Object> parts() {
    RequestPacing<Object, Object> pacing = sample();
    PacedCall<Object, Object> call = pacing.newCall();
    PacedRequest<Object> request = call.acquireAsync("request").join();
    var intercepted = new InterceptedCall<>(pacing, IOException::new);
    return Stream.of(new SampleClient(), pacing, call, request, intercepted);
  }

  private static final class Messages implements MessageReader<Object, Object> {

    @Override
    public String host(Object request) {
      return "sample";
    }

    @Override
    public String method(Object request) {
      return "GET";
    }

    @Override
    public int status(Object response) {
      return 200;
    }

    @Override
    public Map<String, List<String>> headers(Object response) {
      return Map.of();
    }
  }
}
