package dev.pacegate.adapter;

import dev.pacegate.time.NanoClock;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/** A body whose end is told to its request. */
final class TrackedStream extends FilterInputStream {

  private static final int MOST_BYTES = 64 * 1024;
  private static final long LONGEST = TimeUnit.SECONDS.toNanos(1);

  private final PacedRequest<?> request;
  private final Closeable abort;
  private boolean ended;
  private boolean closed;

  /**
   * Makes one.
   *
   * @param abort closed in place of a body that has not ended
   */
  TrackedStream(InputStream body, PacedRequest<?> request, Closeable abort) {
    super(body);
    this.request = request;
    this.abort = abort;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    int read = 0;
    while (read == 0) {
      read = read(one, 0, 1);
    }
    return read < 0 ? read : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int from, int length) throws IOException {
    try {
      int read = super.read(into, from, length);
      if (read > 0) {
        request.bodyPart(ByteBuffer.wrap(into, from, read));
      }
      endedBy(read);
      return read;
    } catch (IOException | RuntimeException failure) { // some clients' are no I/O errors
      aborted();
      throw failure;
    }
  }

  /** Reads what is skipped: the end may be among it, and what the response cost. */
  @Override
  public long skip(long bytes) throws IOException {
    byte[] skipped = new byte[(int) Math.max(0, Math.min(bytes, 8 * 1024))];
    return skipped.length == 0 ? 0 : Math.max(0, read(skipped, 0, skipped.length));
  }

  /** Bytes read again would be taken for more of the body. */
  @Override
  public boolean markSupported() {
    return false;
  }

  private void endedBy(int read) {
    if (read == -1) {
      ended = true;
      request.bodyEnded();
    }
  }

  /** A body that has ended may still await its response. */
  private void aborted() {
    if (!ended) {
      request.aborted();
    }
  }

  /** Reads a short rest, as clients do to keep the connection; any other is aborted. */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      readRest();
    } catch (IOException | RuntimeException unreadable) {
      // The caller has all that it wanted.
    } finally {
      aborted();
      (ended ? in : abort).close();
    }
  }

  /** A stream of events may have no end, and a new connection costs less than a long rest. */
  private void readRest() throws IOException {
    NanoClock clock = request.clock();
    long began = clock.nanoTime();
    byte[] rest = new byte[8 * 1024];
    int left = MOST_BYTES;
    int read = 0;
    while (read >= 0 && left > 0 && isReady() && clock.nanoTime() - began < LONGEST) {
      read = read(rest, 0, Math.min(rest.length, left));
      left -= read;
    }
  }

  /** To read the next event could take hours. */
  private boolean isReady() throws IOException {
    return !request.isEventStream() || available() > 0;
  }
}
