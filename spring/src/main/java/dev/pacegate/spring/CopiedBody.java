package dev.pacegate.spring;

import java.io.IOException;
import java.io.InputStream;

/** A body that is copied as it is read. It skips nothing: that would be missing in the copy. */
final class CopiedBody extends InputStream {

  private final InputStream body;
  private final PeerResponse copy;

  CopiedBody(InputStream body, PeerResponse copy) {
    this.body = body;
    this.copy = copy;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int from, int length) throws IOException {
    int read = body.read(into, from, length);
    if (read > 0) {
      copy.add(into, from, read);
    }
    return read;
  }

  @Override
  public int available() throws IOException {
    return body.available();
  }

  @Override
  public void close() throws IOException {
    body.close();
  }
}
