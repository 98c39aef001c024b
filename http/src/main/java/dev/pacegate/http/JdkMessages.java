package dev.pacegate.http;

import dev.pacegate.adapter.HostKey;
import dev.pacegate.adapter.MessageReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The requests and responses of the JDK's client. */
final class JdkMessages implements MessageReader<HttpRequest, HttpResponse<?>> {

  /**
   * The JDK's publishers that send the same bytes each time: those of nothing, of a text, of bytes
   * and of a file. Any other may read from a source that is used up.
   */
  private static final Set<String> REPEATABLE =
      Set.of("EmptyPublisher", "StringPublisher", "ByteArrayPublisher", "FilePublisher");

  private static final Set<String> IN_MEMORY = Set.of("StringPublisher", "ByteArrayPublisher");

  @Override
  public String host(HttpRequest request) {
    return HostKey.of(request.uri());
  }

  @Override
  public String method(HttpRequest request) {
    return request.method();
  }

  @Override
  public boolean isRepeatable(HttpRequest request) {
    return request.bodyPublisher().map(body -> isOf(REPEATABLE, body)).orElse(true);
  }

  /** Whether the whole body can be read at once, any number of times. */
  static boolean isInMemory(BodyPublisher body) {
    return isOf(IN_MEMORY, body);
  }

  private static boolean isOf(Set<String> publishers, BodyPublisher body) {
    Class<?> type = body.getClass();
    return type.getModule() == HttpClient.class.getModule()
        && publishers.contains(type.getSimpleName());
  }

  @Override
  public int status(HttpResponse<?> response) {
    return response.statusCode();
  }

  @Override
  public Map<String, List<String>> headers(HttpResponse<?> response) {
    return response.headers().map();
  }
}
