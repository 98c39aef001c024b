package dev.pacegate.proxy;

import dev.pacegate.adapter.MessageReader;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Map;

/** Reads requests of clients and responses of the upstream. */
record ProxyMessages(Upstream upstream)
    implements MessageReader<HttpServerRequest, HttpClientResponse> {

  @Override
  public String host(HttpServerRequest request) {
    return upstream.toString();
  }

  @Override
  public String method(HttpServerRequest request) {
    return request.method().name();
  }

  @Override
  public boolean isRepeatable(HttpServerRequest request) {
    return false;
  }

  @Override
  public int status(HttpClientResponse response) {
    return response.statusCode();
  }

  @Override
  public Map<String, List<String>> headers(HttpClientResponse response) {
    return Headers.asMap(response.headers());
  }
}
