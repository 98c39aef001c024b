package dev.pacegate.redis.rig;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import redis.embedded.core.ExecutableProvider;

/** Which redis-server runs. */
public enum Version {

  /** 6.2, brought by a test dependency: runs everywhere. */
  V6_2 {
    @Override
    Path program() throws IOException {
      return Unpacked.PROGRAM;
    }
  },

  /** The machine's own, which is 7.0 on Debian 12: for tests tagged {@code servers}. */
  V7 {
    @Override
    Path program() throws IOException {
      Path program = Path.of("/usr/bin/redis-server");
      if (!Files.isExecutable(program)) {
        throw new IOException("no " + program + ": install Debian's redis-server");
      }
      return program;
    }
  };

  abstract Path program() throws IOException;

  /** Unpacks once for a JVM. A JVM beside this one may do the same. */
  private static final class Unpacked {
    static final Path PROGRAM = unpack();

    private static Path unpack() {
      try {
        Path folder = Folders.make("unpacked");
        Path made = ExecutableProvider.newJarResourceProvider(folder.toFile()).get().toPath();
        Path program =
            Files.move(
                made, Folders.build().resolve("redis-server-6.2"), StandardCopyOption.ATOMIC_MOVE);
        Folders.delete(folder);
        return program;
      } catch (IOException e) {
        throw new ExceptionInInitializerError(e);
      }
    }
  }
}
