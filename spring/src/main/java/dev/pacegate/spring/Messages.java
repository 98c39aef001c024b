package dev.pacegate.spring;

import dev.pacegate.adapter.HostKey;
import dev.pacegate.adapter.MessageReader;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.springframework.http.HttpMethod;

/** The requests of one of Spring's clients, and the responses of all. */
record Messages<Q>(Function<Q, URI> target, Function<Q, HttpMethod> verb)
    implements MessageReader<Q, PeerResponse> {

  @Override
  public String host(Q request) {
    return HostKey.of(target.apply(request));
  }

  @Override
  public String method(Q request) {
    return verb.apply(request).name();
  }

  @Override
  public int status(PeerResponse response) {
    return response.status().value();
  }

  @Override
  public Map<String, List<String>> headers(PeerResponse response) {
    return response.map();
  }
}
