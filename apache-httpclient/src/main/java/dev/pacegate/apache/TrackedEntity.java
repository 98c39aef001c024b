package dev.pacegate.apache;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.HttpEntityWrapper;

/** The body of a response, read by a stream that tells its end. */
final class TrackedEntity extends HttpEntityWrapper {

  private final InputStream content;

  TrackedEntity(HttpEntity body, InputStream content) {
    super(body);
    this.content = content;
  }

  @Override
  public InputStream getContent() {
    return content;
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    try (content) {
      content.transferTo(out);
    }
  }

  @Override
  public void close() throws IOException {
    content.close();
  }
}
