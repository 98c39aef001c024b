package dev.pacegate.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.locks.LockSupport;

/**
 * Standard output, unbuffered. A write waits while the output takes no more, also if the process at
 * the other end, which shares its settings, has made it non-blocking.
 */
final class StandardOutput extends OutputStream {

  private static final long PATIENCE_NANOS = 1_000_000;

  private final WritableByteChannel channel;

  StandardOutput() {
    this(new FileOutputStream(FileDescriptor.out).getChannel());
  }

  StandardOutput(WritableByteChannel channel) {
    this.channel = channel;
  }

  @Override
  public void write(int single) throws IOException {
    write(new byte[] {(byte) single}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    var rest = ByteBuffer.wrap(bytes, from, length);
    while (rest.hasRemaining()) {
      if (channel.write(rest) == 0) {
        LockSupport.parkNanos(this, PATIENCE_NANOS);
      }
    }
  }
}
