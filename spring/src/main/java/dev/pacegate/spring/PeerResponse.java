package dev.pacegate.spring;

import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;

/**
 * A response as the functions {@code settle} and {@code refused} read it. Its body is a copy of
 * that which the caller gets, up to 1 MiB: of a longer one only the beginning.
 *
 * <p>The function {@code settle} gets the whole body, of a stream, too. The function {@code
 * refused} reads the body before the caller does, so that is collected first; a stream of events
 * ({@code text/event-stream}) or of lines of JSON is not, and has no body yet. Thread-safe.
 */
public final class PeerResponse {

  /** The most bytes that are kept of a body. */
  static final int MOST_BYTES = 1024 * 1024;

  private final HttpStatusCode status;
  private final HttpHeaders headers;
  private final ByteArrayOutputStream copy = new ByteArrayOutputStream(0);

  PeerResponse(HttpStatusCode status, HttpHeaders headers) {
    this.status = status;
    this.headers = headers;
  }

  /** Returns the status. */
  public HttpStatusCode status() {
    return status;
  }

  /** Returns the headers, not to be changed. */
  public HttpHeaders headers() {
    return headers;
  }

  /** Returns a copy of the body, as far as it has been received. */
  public byte[] body() {
    return copy.toByteArray();
  }

  /** Returns the body as text, in the charset that the response names; UTF-8 if it names none. */
  public String text() {
    return copy.toString(charset());
  }

  private Charset charset() {
    try {
      MediaType type = headers.getContentType();
      Charset named = type == null ? null : type.getCharset();
      return named == null ? StandardCharsets.UTF_8 : named;
    } catch (IllegalArgumentException unknown) {
      return StandardCharsets.UTF_8;
    }
  }

  /** Copies what the caller gets next. */
  void add(byte[] bytes, int from, int length) {
    copy.write(bytes, from, Math.min(length, MOST_BYTES - copy.size()));
  }

  Map<String, List<String>> map() {
    var all = new LinkedHashMap<String, List<String>>();
    headers.forEach(all::put); // the one way to read them that is the same in Spring 6 and 7
    return all;
  }
}
