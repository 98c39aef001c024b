package dev.pacegate.examples.recipes;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import java.io.IOException;
import java.io.InputStream;

/** A large file, sent in chunks of bytes. */
final class Upload {

  /** The program's own write. */
  interface Connection {
    void write(byte[] chunk) throws IOException;
  }

  private static final int CHUNK = 100_000;

  private final Connection server;

  Upload(Connection server) {
    this.server = server;
  }

  final Limiter bytes = Limiter.of("peer(1_000_000/1s)"); // a million bytes in any second

  void upload(InputStream file) throws IOException, InterruptedException {
    for (byte[] chunk = next(file); chunk.length > 0; chunk = next(file)) {
      try (Permit permit = bytes.acquire(chunk.length)) { // the cost is the number of bytes
        server.write(chunk);
        permit.answered();
      }
    }
  }

  private static byte[] next(InputStream file) throws IOException {
    return file.readNBytes(CHUNK);
  }
}
