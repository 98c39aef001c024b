package dev.pacegate.okhttp;

import dev.pacegate.adapter.PacedRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.ForwardingSource;

/** A body whose end is told to its request. */
final class TrackedSource extends ForwardingSource {

  private static final long MOST_BYTES = 64 * 1024;
  private static final long LONGEST_SECONDS = 1; // as the streams of other adapters

  private final PacedRequest<Response> request;
  private final Parts parts;
  private long left; // of the stated length; negative if there is none
  private boolean over; // its end is told

  TrackedSource(ResponseBody body, PacedRequest<Response> request) {
    super(body.source());
    this.request = request;
    this.parts = new Parts(request);
    this.left = body.contentLength();
    told(0);
  }

  @Override
  public long read(Buffer sink, long byteCount) throws IOException {
    try {
      long read = super.read(sink, byteCount);
      if (read > 0) {
        sink.copyTo(parts, sink.size() - read, read);
      }
      told(read);
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

  /** A stated length ends a body: callers may neither read on nor close it. */
  private void told(long read) {
    left -= read;
    if (!over && (read == -1 || left == 0)) {
      over = true;
      request.bodyEnded();
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
    try {
      readRest();
    } catch (IOException | RuntimeException unreadable) {
      // The caller has all that it wanted.
    } finally {
      aborted();
      super.close();
    }
  }

  /** A stream of events has no end, and must not hold the thread that closes it. */
  private void readRest() throws IOException {
    timeout().deadline(LONGEST_SECONDS, TimeUnit.SECONDS); // of this body alone
    var rest = new Buffer();
    for (long most = MOST_BYTES; !over && most > 0; rest.clear()) {
      most -= read(rest, most);
    }
  }
}
