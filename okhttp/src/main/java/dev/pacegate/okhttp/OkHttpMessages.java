package dev.pacegate.okhttp;

import dev.pacegate.adapter.HostKey;
import dev.pacegate.adapter.MessageReader;
import java.util.List;
import java.util.Map;
import okhttp3.Request;
import okhttp3.Response;

/** Reads OkHttp's requests and responses. */
final class OkHttpMessages implements MessageReader<Request, Response> {

  @Override
  public String host(Request request) {
    return HostKey.of(request.url().uri());
  }

  @Override
  public String method(Request request) {
    return request.method();
  }

  @Override
  public boolean isRepeatable(Request request) {
    return request.body() == null || !request.body().isOneShot();
  }

  @Override
  public int status(Response response) {
    return response.code();
  }

  @Override
  public Map<String, List<String>> headers(Response response) {
    return response.headers().toMultimap();
  }
}
