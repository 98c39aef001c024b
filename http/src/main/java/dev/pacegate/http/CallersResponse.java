package dev.pacegate.http;

import java.net.URI;
import java.net.http.HttpClient.Version;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * A response as the caller sees it.
 *
 * @param request the request with its own body, which can be sent again
 * @param previous the response before it, if any
 */
record CallersResponse<T extends @Nullable Object>(
    HttpResponse<T> response, HttpRequest request, @Nullable HttpResponse<T> previous)
    implements HttpResponse<T> {

  @Override
  public int statusCode() {
    return response.statusCode();
  }

  @Override
  public Optional<HttpResponse<T>> previousResponse() {
    return Optional.ofNullable(previous);
  }

  @Override
  public HttpHeaders headers() {
    return response.headers();
  }

  @Override
  public T body() {
    return response.body();
  }

  @Override
  public Optional<SSLSession> sslSession() {
    return response.sslSession();
  }

  @Override
  public URI uri() {
    return response.uri();
  }

  @Override
  public Version version() {
    return response.version();
  }

  @Override
  public String toString() {
    return response.toString();
  }
}
