package dev.pacegate.spring;

import dev.pacegate.Permit;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/** A response whose body ends the permit. */
final class PacedResponse implements ClientHttpResponse {

  private final ClientHttpResponse response;
  private final Permit permit;
  private @Nullable InputStream body;

  PacedResponse(ClientHttpResponse response, Permit permit) {
    this.response = response;
    this.permit = permit;
  }

  @Override
  public HttpStatusCode getStatusCode() throws IOException {
    return response.getStatusCode();
  }

  @Override
  public String getStatusText() throws IOException {
    return response.getStatusText();
  }

  @Override
  public HttpHeaders getHeaders() {
    return response.getHeaders();
  }

  @Override
  public InputStream getBody() throws IOException {
    if (body == null) {
      body = new PacedBody(response.getBody(), permit);
    }
    return body;
  }

  /** Closes the body too, which ends the permit. */
  @Override
  public void close() {
    try {
      getBody().close();
    } catch (IOException | RuntimeException unreadable) {
      // The caller has all that it wanted.
    } finally {
      permit.lost(); // if there is no body to close
      response.close();
    }
  }
}
