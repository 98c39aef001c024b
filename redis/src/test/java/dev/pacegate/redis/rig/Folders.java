package dev.pacegate.redis.rig;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Folders of the build: where test classes are, and where tests may write. */
final class Folders {

  private Folders() {}

  /**
   * Returns the folder of the test classes, also where they are patched into a module. Where these
   * are in a jar, for another module, that is the jar.
   */
  static Path testClasses() {
    try {
      URL own = Objects.requireNonNull(Folders.class.getResource("Folders.class"));
      if (own.openConnection() instanceof JarURLConnection inJar) {
        return Path.of(inJar.getJarFileURL().toURI());
      }
      Path folder = Path.of(own.toURI());
      for (String part : Folders.class.getName().split("\\.", -1)) {
        folder = Objects.requireNonNull(folder.getParent(), part);
      }
      return folder;
    } catch (URISyntaxException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns a folder that {@code mvn clean} deletes. */
  static Path build() {
    return testClasses().resolveSibling("redis");
  }

  /** Returns where {@link #make} makes folders: JVMs beside this one do so elsewhere. */
  static Path ofThisJvm() {
    return build().resolve("jvm" + ProcessHandle.current().pid());
  }

  /** Makes a new folder of its own for a server. */
  static Path make(String prefix) throws IOException {
    return Files.createTempDirectory(Files.createDirectories(ofThisJvm()), prefix);
  }

  /** Deletes a folder with all that is in it. */
  static void delete(Path folder) throws IOException {
    List<Path> deepestFirst;
    try (Stream<Path> all = Files.walk(folder)) {
      deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : deepestFirst) {
      Files.deleteIfExists(path);
    }
  }
}
