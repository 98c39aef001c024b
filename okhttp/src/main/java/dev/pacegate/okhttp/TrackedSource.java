package dev.pacegate.okhttp;

import dev.pacegate.adapter.PacedRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import okhttp3.Response;
import okio.Buffer;
import okio.ForwardingSource;
import okio.Source;
import okio.Timeout;

/** A body whose end is told to its request. */
final class TrackedSource extends ForwardingSource {

  private static final long MOST_BYTES = 64 * 1024;
  private static final long LONGEST_SECONDS = 1; // as the streams of other adapters

  private final PacedRequest<Response> request;
  private final Parts parts;
  private boolean over; // its end is told
  private boolean closed;

  TrackedSource(Source body, PacedRequest<Response> request) {
    super(body);
    this.request = request;
    this.parts = new Parts(request);
  }

  @Override
  public long read(Buffer sink, long byteCount) throws IOException {
    try {
      long read = super.read(sink, byteCount);
      if (read == -1) {
        over = true;
        request.bodyEnded();
      } else {
        sink.copyTo(parts, sink.size() - read, read);
      }
      return read;
    } catch (IOException | RuntimeException failure) {
      aborted();
      throw failure;
    }
  }

  /** Shows bytes to the request, without a copy. */
  private static final class Parts extends OutputStream {
    private final PacedRequest<Response> request;

    Parts(PacedRequest<Response> request) {
      this.request = request;
    }

    @Override
    public void write(int single) {
      request.bodyPart(ByteBuffer.wrap(new byte[] {(byte) single}));
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
      request.bodyPart(ByteBuffer.wrap(bytes, from, length));
    }
  }

  private void aborted() {
    if (!over) {
      over = true;
      request.aborted();
    }
  }

  /** Reads a short rest, as OkHttp does to keep the connection; any other is aborted. */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (!over) {
        readRest();
      }
    } catch (IOException | RuntimeException unreadable) {
      // The caller has all that it wanted.
    } finally {
      aborted();
      super.close();
    }
  }

  /** A stream of events has no end, and must not hold the thread that closes it. */
  private void readRest() throws IOException {
    Timeout timeout = timeout(); // of the connection, which may be used again
    boolean had = timeout.hasDeadline();
    long before = had ? timeout.deadlineNanoTime() : 0;
    timeout.deadline(LONGEST_SECONDS, TimeUnit.SECONDS);
    try {
      var rest = new Buffer();
      long left = MOST_BYTES;
      for (long read = 0; read != -1 && left > 0; left -= read) {
        read = read(rest, left);
        rest.clear();
      }
    } finally {
      if (had) {
        timeout.deadlineNanoTime(before);
      } else {
        timeout.clearDeadline();
      }
    }
  }
}
