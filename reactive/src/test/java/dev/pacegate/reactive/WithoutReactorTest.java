package dev.pacegate.reactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;

/** Programs that have no Reactor, or one without contexts, have all operators. */
class WithoutReactorTest {

  @Test
  void everyOperatorPassesTheSameElementsAsWithReactor() throws Exception {
    try (var loader = new URLClassLoader(classes(), null)) { // other parents know all modules
      Class<?> there = loader.loadClass(PlainStreams.class.getName());
      var find = there.getDeclaredMethod("finds", String.class);
      find.setAccessible(true);
      assertEquals(false, find.invoke(null, "reactor.core.CoreSubscriber"));
      var make = there.getDeclaredConstructor();
      make.setAccessible(true);
      var streams = (Callable<?>) make.newInstance();
      assertEquals(new PlainStreams().call(), streams.call());
      assertTrue(PlainStreams.finds("reactor.core.CoreSubscriber"), "the test's own");
    }
  }

  @Test
  void everyElementComesThrough() {
    Map<String, String> came = new PlainStreams().call();
    assertEquals("[a, b, c] completed", came.get("throttle"));
    assertTrue(came.values().stream().allMatch(end -> end.endsWith("completed")), came::toString);
  }

  private static URL[] classes() throws IOException {
    return new URL[] {
      root(Pace.class), root(PlainStreams.class), root(Limiter.class), root(Publisher.class)
    };
  }

  /** Returns the folder or jar of a class. */
  private static URL root(Class<?> type) throws IOException {
    String file = type.getName().replace('.', '/') + ".class";
    URL found = Objects.requireNonNull(type.getResource("/" + file), file);
    if (found.openConnection() instanceof JarURLConnection jar) {
      return jar.getJarFileURL();
    }
    return URI.create(found.toString().replace(file, "")).toURL();
  }
}
