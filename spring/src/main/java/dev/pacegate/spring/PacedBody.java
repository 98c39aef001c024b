package dev.pacegate.spring;

import dev.pacegate.Permit;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A body that ends the permit: answered at its end, lost if reading fails. */
final class PacedBody extends FilterInputStream {

  private final Permit permit;
  private boolean closed;

  PacedBody(InputStream body, Permit permit) {
    super(body);
    this.permit = permit;
  }

  @Override
  public int read() throws IOException {
    try {
      int read = super.read();
      endedBy(read);
      return read;
    } catch (IOException | RuntimeException failure) {
      permit.lost();
      throw failure;
    }
  }

  @Override
  public int read(byte[] into, int from, int length) throws IOException {
    try {
      int read = super.read(into, from, length);
      endedBy(read);
      return read;
    } catch (IOException | RuntimeException failure) { // Reactor's are no I/O errors
      permit.lost();
      throw failure;
    }
  }

  private void endedBy(int read) {
    if (read == -1) {
      permit.answered();
    }
  }

  /** Reads the rest, as clients do to keep the connection; what cannot be read is lost. */
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
      permit.lost(); // unless the end was read: then it was answered
      super.close();
    }
  }
}
