package dev.pacegate.apache;

import dev.pacegate.adapter.PacedRequest;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.HttpEntityWrapper;

/** The body of a response, whose end is told to its request. */
final class TrackedEntity extends HttpEntityWrapper {

  private final PacedRequest<?> request;
  private final Rest rest;
  private final InputStream content;

  TrackedEntity(HttpEntity body, PacedRequest<?> request, Runnable disconnect) throws IOException {
    super(body);
    this.request = request;
    this.rest = new Rest(body.getContent(), disconnect);
    this.content = request.body(rest);
  }

  /** Nothing more is read. */
  void abandon() {
    if (!rest.ended) {
      request.aborted();
    }
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

  /** HttpClient's streams read on when closed, to the end: one that has none would never return. */
  private static final class Rest extends FilterInputStream {
    private final Runnable disconnect;
    private volatile boolean ended;

    Rest(InputStream body, Runnable disconnect) {
      super(body);
      this.disconnect = disconnect;
    }

    @Override
    public int read() throws IOException {
      int read = super.read();
      endedBy(read);
      return read;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
      int read = super.read(into, from, length);
      endedBy(read);
      return read;
    }

    private void endedBy(int read) {
      if (read < 0) {
        ended = true;
      }
    }

    @Override
    public void close() throws IOException {
      if (ended) {
        super.close();
      } else {
        disconnect.run();
      }
    }
  }
}
