package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs the Scala of docs/pekko.md as it stands there, by the compiler of the run. */
@Tag("pages")
class ScalaSnippetsTest {

  private static final Path PAGE = Path.of("..", "docs", "pekko.md");
  private static final Pattern SNIPPET =
      Pattern.compile("^```scala\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL);
  private static final String CLASS_PATH =
      System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

  private static final String AROUND =
      """
      import dev.pacegate._
      import dev.pacegate.limit._
      import dev.pacegate.pekko._
      import java.time.Duration
      import java.util.concurrent.CompletableFuture
      import org.apache.pekko.actor.ActorSystem
      import org.apache.pekko.stream.scaladsl._
      import scala.concurrent.Await
      import scala.concurrent.duration.DurationInt

      object Snippet {
        def run(): String = {
          implicit val system: ActorSystem = ActorSystem("snippet")
          val api = Limiter.of("10/1s")
          try {
      %s
            List(paced, akka, byCost, answers, kept, batches.map(_.flatMap(_.toArray))(system.dispatcher))
              .map(each => Await.result(each, 30.seconds).mkString(" "))
              .mkString("; ")
          } finally Await.result(system.terminate(), 30.seconds)
        }
      }
      """;

  @Test
  void theScalaOfThePageCompilesAndRuns(@TempDir Path folder) throws Exception {
    List<String> snippets = snippets();
    assertFalse(snippets.isEmpty());
    Path source = folder.resolve("Snippet.scala");
    Files.writeString(source, AROUND.replace("%s", String.join("\n", snippets)));
    assertTrue(compiles(source, folder), "see the output of the compiler");
    URL[] where = {folder.toUri().toURL()};
    try (var loader = new URLClassLoader(where, getClass().getClassLoader())) {
      Object result = loader.loadClass("Snippet").getMethod("run").invoke(null);
      assertEquals("1 2 3; 1 2 3; ab c; 4 1; (a,1) (b,2); 1 2 3", result);
    }
  }

  private static List<String> snippets() throws Exception {
    Matcher fence = SNIPPET.matcher(Files.readString(PAGE));
    var snippets = new ArrayList<String>();
    while (fence.find()) {
      snippets.add(requireNonNull(fence.group(1)));
    }
    return snippets;
  }

  /** Both compilers are on no class path but that of their own run, hence by reflection. */
  private static boolean compiles(Path source, Path folder) throws Exception {
    String[] arguments = {"-d", folder.toString(), "-classpath", CLASS_PATH, source.toString()};
    if (System.getProperty("pekko.scala", "2.13").equals("3")) {
      Object reporter =
          Class.forName("dotty.tools.dotc.Main")
              .getMethod("process", String[].class)
              .invoke(null, (Object) arguments);
      return !(Boolean) reporter.getClass().getMethod("hasErrors").invoke(reporter);
    }
    Class<?> compiler = Class.forName("scala.tools.nsc.MainClass");
    Object main = compiler.getConstructor().newInstance();
    return (Boolean) compiler.getMethod("process", String[].class).invoke(main, (Object) arguments);
  }
}
