package dev.pacegate.adapter;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A body whose end is told to its request. */
final class TrackedStream extends FilterInputStream {

  private final PacedRequest<?> request;
  private boolean ended;
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
      brokenOff();
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
      brokenOff();
      throw failure;
    }
  }

  private void endedBy(int read) {
    if (read == -1) {
      ended = true;
      request.bodyEnded();
    }
  }

  /** A body that has ended may still await its response. */
  private void brokenOff() {
    if (!ended) {
      request.brokenOff();
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
      brokenOff();
      super.close();
    }
  }
}
