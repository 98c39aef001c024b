package dev.pacegate.redis.rig;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A connection to the peer: lines come, lines go. */
final class PeerLine {

  private final SocketChannel channel;
  private final ByteBuffer buffer = ByteBuffer.allocate(8 * 1024);
  private final ByteArrayOutputStream begun = new ByteArrayOutputStream();
  private final Deque<String> lines = new ArrayDeque<>();

  PeerLine(SocketChannel channel) {
    this.channel = channel;
  }

  /** Reads what is there; returns whether more may come. */
  boolean read() throws IOException {
    int n = channel.read(buffer.clear());
    for (buffer.flip(); buffer.hasRemaining(); ) {
      byte b = buffer.get();
      if (b == '\n') {
        lines.add(begun.toString(StandardCharsets.US_ASCII));
        begun.reset();
      } else {
        begun.write(b);
      }
    }
    return n >= 0;
  }

  /** Returns the next line that is whole, or null. */
  @Nullable String next() {
    return lines.poll();
  }

  /**
   * Writes a line, and for that time serves no other connection. Does nothing if the client has
   * gone.
   */
  void write(String line) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.US_ASCII));
      while (bytes.hasRemaining()) {
        if (channel.write(bytes) == 0) {
          Thread.onSpinWait(); // a long list, which a test reads
        }
      }
    } catch (IOException gone) {
      // It does not want the answer any more.
    }
  }
}
