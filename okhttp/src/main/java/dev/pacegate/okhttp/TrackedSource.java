package dev.pacegate.okhttp;

import dev.pacegate.adapter.PacedRequest;
import java.io.IOException;
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
  private boolean over; // its end is told
  private boolean closed;

  TrackedSource(Source body, PacedRequest<Response> request) {
    super(body);
    this.request = request;
  }

  @Override
  public long read(Buffer sink, long byteCount) throws IOException {
    try {
      long read = super.read(sink, byteCount);
      if (read == -1) {
        over = true;
        request.bodyEnded();
      }
      return read;
    } catch (IOException | RuntimeException failure) {
      aborted();
      throw failure;
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
