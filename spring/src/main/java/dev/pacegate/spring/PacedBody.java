package dev.pacegate.spring;

import dev.pacegate.Permit;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A body that ends the permit: answered at its end, lost if reading fails. */
final class PacedBody extends FilterInputStream {

  private final Permit permit;

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

  /** Leaves the rest to the response's own close, which reads it. */
  @Override
  public void close() {}
}
