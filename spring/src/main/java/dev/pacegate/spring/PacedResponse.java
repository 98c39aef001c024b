package dev.pacegate.spring;

import dev.pacegate.adapter.PacedRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/** A response whose body ends the permit. */
final class PacedResponse implements ClientHttpResponse {

  private final ClientHttpResponse response;
  private final PacedRequest<PeerResponse> request;
  private final PeerResponse read;
  private @Nullable InputStream body;

  PacedResponse(ClientHttpResponse response, PacedRequest<PeerResponse> request)
      throws IOException {
    this.response = response;
    this.request = request;
    this.read = new PeerResponse(response.getStatusCode(), response.getHeaders());
  }

  /** Reports the response; returns whether it is for the caller. */
  boolean isReceived() throws IOException {
    request.headers(read.status().value(), read.map());
    if (!request.shouldRetry()) {
      if (request.shouldCollect()) {
        collect();
      }
      request.received(read);
    }
    return !request.shouldRetry();
  }

  /** What is too long to be kept is still to be read. */
  private void collect() throws IOException {
    InputStream all = getBody();
    byte[] beginning = all.readNBytes(PeerResponse.MOST_BYTES);
    body = new SequenceInputStream(new ByteArrayInputStream(beginning), all);
  }

  @Override
  public HttpStatusCode getStatusCode() {
    return read.status();
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
      InputStream received = response.getBody();
      body = request.body(request.shouldCopy() ? new CopiedBody(received, read) : received);
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
      request.aborted(); // if there is no body to close
      response.close();
    }
  }
}
