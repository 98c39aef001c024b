package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.util.List;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.stream.Materializer;
import org.junit.jupiter.api.Test;

/** The run says which Scala it is for; this is what it really runs on. */
class ScalaVersionTest {

  private static final String EXPECTED = System.getProperty("pekko.scala", "2.13");

  @Test
  void runsOnTheJarsOfItsScala() {
    assertTrue(jarOf(ActorSystem.class).contains("pekko-actor_" + EXPECTED + "-"));
    assertTrue(jarOf(Materializer.class).contains("pekko-stream_" + EXPECTED + "-"));
  }

  @Test
  void hasScala3sOwnClassesOnlyThere() {
    assertEquals(EXPECTED.equals("3"), isThere("scala.runtime.LazyVals"));
    assertEquals(
        1,
        getClass().getClassLoader().resources("org/apache/pekko/actor/ActorSystem.class").count());
  }

  @Test
  void hasNoJarOfAnotherScala() {
    String other = EXPECTED.equals("3") ? "_2.13-" : "_3-";
    List<String> jars =
        getClass()
            .getClassLoader()
            .resources("META-INF/MANIFEST.MF")
            .map(URL::toString)
            .filter(jar -> jar.contains(other))
            .toList();
    assertEquals(List.of(), jars);
  }

  private static String jarOf(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation().toString();
  }

  private static boolean isThere(String type) {
    try {
      Class.forName(type);
      return true;
    } catch (ClassNotFoundException missing) {
      return false;
    }
  }
}
