package dev.pacegate.adapter;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A body whose end is told to its request. */
final class TrackedStream extends FilterInputStream {

  private final PacedRequest<?> request;
  private boolean closed;

  TrackedStream(InputStream body, PacedRequest<?> request) {
    super(body);
    this.request = request;
  }

  @Override
  public int read() throws IOException {
    try {
      int read = super.read();
      endedBy(read);
      return read;
    } catch (IOException | RuntimeException failure) {
      request.brokenOff();
      throw failure;
    }
  }

  @Override
  public int read(byte[] into, int from, int length) throws IOException {
    try {
      int read = super.read(into, from, length);
      endedBy(read);
      return read;
    } catch (IOException | RuntimeException failure) { // some clients' are no I/O errors
      request.brokenOff();
      throw failure;
    }
  }

  private void endedBy(int read) {
    if (read == -1) {
      request.bodyEnded();
    }
  }

  /** Reads the rest, as clients do to keep the connection; what cannot be read is broken off. */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      transferTo(OutputStream.nullOutputStream());
    } catch (IOException | RuntimeException unreadable) {
      // The caller has all that it wanted.
    } finally {
      request.brokenOff(); // unless the end was read
      super.close();
    }
  }
}
