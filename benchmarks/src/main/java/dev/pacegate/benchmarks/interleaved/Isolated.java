package dev.pacegate.benchmarks.interleaved;

import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Loads classes of its own for one subject: the loop, the library, and all that it uses but the
 * JDK.
 *
 * <p>The JVM notes for each call in a class which types it has met there and which branches were
 * taken, and compiles accordingly. With one class for all subjects the loop would have met every
 * limiter, and a limiter every kind of limit: each call would be dispatched at run time and none
 * inlined, and it is this dispatch that would be measured. A copy of the classes has a copy of the
 * notes, as if the subject were alone in its JVM. Only the JDK's own classes are shared.
 *
 * <p>The same makes it possible to have two versions of Pacegate in one JVM.
 */
final class Isolated extends URLClassLoader {

  private final boolean versioned;

  /**
   * @param core the jar of Pacegate's core, or a folder of its classes; empty for the one that this
   *     program was built with
   */
  Isolated(Optional<Path> core) {
    super(core.map(Isolated::urls).orElse(new URL[0]), ClassLoader.getPlatformClassLoader());
    versioned = core.isPresent();
  }

  /** Is asked for what is not the JDK's. */
  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    if (name.equals(Loop.class.getName())) {
      return Loop.class;
    }
    if (versioned && name.startsWith("dev.pacegate.") && !name.contains(".benchmarks.")) {
      return super.findClass(name); // never from another version
    }
    String path = name.replace('.', '/') + ".class";
    try (InputStream file = Isolated.class.getClassLoader().getResourceAsStream(path)) {
      if (file == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] code = file.readAllBytes();
      return defineClass(name, code, 0, code.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private static URL[] urls(Path core) {
    try {
      return new URL[] {core.toUri().toURL()};
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(core.toString(), e);
    }
  }
}
