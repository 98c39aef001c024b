package dev.pacegate.examples;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compiles and runs every snippet and every command of the README, those of modules, the guide, and
 * the pages on HTTP and on limiters that wait as they stand there, and checks what they say of
 * artifacts and modules.
 */
@Tag("pages")
class ReadmeTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** The page with the table of modules. */
  private static final Path MODULES = ROOT.resolve("docs/guide/5-tools.md");

  private static final String SNIPPET = "(?ms)^```%s\n(.*?)^```";

  private static final String CLASS_PATH =
      System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

  private static final String AROUND =
      """
      %imports
      import dev.pacegate.*;
      import com.sun.net.httpserver.HttpServer;
      import dev.pacegate.dispatch.*;
      import dev.pacegate.feedback.*;
      import dev.pacegate.http.*;
      import dev.pacegate.limit.*;
      import dev.pacegate.pekko.*;
      import dev.pacegate.reactive.*;
      import dev.pacegate.time.*;
      import java.net.*;
      import java.net.http.*;
      import java.nio.file.*;
      import java.time.*;
      import java.util.*;
      import java.util.concurrent.*;
      import java.util.regex.*;
      import org.apache.pekko.actor.ActorSystem;
      import org.apache.pekko.stream.javadsl.Source;
      import reactor.core.publisher.Flux;

      public class Snippet {
        static String send(String text) { return text; }

        static CompletableFuture<String> sendAsync(String text) {
          return CompletableFuture.completedFuture(text);
        }

        public static void run() throws Exception {
          Path file = Files.createTempFile("limits", ".properties");
          Files.writeString(file, "sms = 10/1s");
          var here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
          HttpServer server = HttpServer.create(here, 0);
          server.createContext(
              "/",
              exchange -> {
                exchange.sendResponseHeaders(200, 5);
                exchange.getResponseBody().write("hello".getBytes());
                exchange.close();
              });
          server.start();
          URI uri = URI.create("http://localhost:" + server.getAddress().getPort() + "/");
          ActorSystem system = ActorSystem.create("readme");
          try {
            use(file, HttpRequest.newBuilder(uri).build(), system);
          } finally {
            system.terminate();
            server.stop(0);
            Files.delete(file);
          }
        }

        static void use(Path file, HttpRequest request, ActorSystem system) throws Exception {
      %s
        }
      }
      """;

  private static List<Path> pages() throws IOException {
    try (Stream<Path> guide = Files.list(ROOT.resolve("docs/guide"))) {
      Stream<Path> others =
          Stream.of(
                  "README.md",
                  "docs/http.md",
                  "docs/adapters.md",
                  "docs/headers.md",
                  "docs/troubleshooting.md",
                  "core/README.md",
                  "http/README.md",
                  "reactive/README.md",
                  "pekko/README.md",
                  "simulator/README.md",
                  "cli/README.md",
                  "adapter-tck/README.md",
                  "micrometer/README.md",
                  "okhttp/README.md",
                  "apache-httpclient/README.md")
              .map(ROOT::resolve);
      return Stream.concat(others, guide.sorted()).toList();
    }
  }

  @TestFactory
  Stream<DynamicTest> everyJavaSnippetCompilesAndRuns(@TempDir Path folder) throws IOException {
    List<String> snippets = snippets("java");
    assertTrue(snippets.size() > 10, () -> "only " + snippets);
    return snippets.stream()
        .map(text -> DynamicTest.dynamicTest(title(text), () -> compileAndRun(text, folder)));
  }

  @TestFactory
  Stream<DynamicTest> everyCommandRuns() throws IOException {
    List<String> commands = new ArrayList<>();
    for (String block : snippets("sh")) {
      commands.addAll(block.lines().filter(line -> line.contains("./pacegate")).toList());
    }
    assertTrue(commands.size() > 5, () -> "only " + commands);
    return commands.stream()
        .distinct()
        .map(line -> DynamicTest.dynamicTest(line, () -> runCommand(line)));
  }

  /** It needs a server; the newcomer in .ci runs one like it. */
  @Test
  void theSnippetForRedisCompiles(@TempDir Path folder) throws IOException {
    String page = Files.readString(ROOT.resolve("redis/README.md"));
    Path classes = compiled(first(SNIPPET.formatted("java"), page), folder);
    assertTrue(Files.exists(classes.resolve("Snippet.class")));
  }

  @Test
  void everyPublishedModuleHasAReadmeWithItsDependency() throws IOException {
    List<String> artifacts =
        all("<artifactId>pacegate-([\\w-]+)<", Files.readString(ROOT.resolve("bom/pom.xml")));
    assertTrue(artifacts.size() > 10, artifacts::toString);
    for (String artifact : artifacts) {
      if (!artifact.equals("bom")) {
        String page = Files.readString(folder(artifact).resolve("README.md"));
        assertTrue(page.contains("<artifactId>pacegate-" + artifact + "</artifactId>"), artifact);
      }
    }
  }

  /** Artifacts are modules of this build, in its version or, between releases, the last one's. */
  @Test
  void everyArtifactIsThere() throws IOException {
    String readme = Files.readString(ROOT.resolve("README.md")) + Files.readString(MODULES);
    String version = first("<version>([^<]*)</version>", Files.readString(ROOT.resolve("pom.xml")));
    String changes = Files.readString(ROOT.resolve("CHANGELOG.md"));
    List<String> named =
        all(
            "\\b(\\d+\\.\\d+\\.\\d+(?:-\\w+)?)\\b",
            readme.replaceAll("(POM/|modelVersion>)[\\d.]+", ""));
    assertEquals(List.of(toAdd(version, changes)), named.stream().distinct().toList());
    List<String> artifacts = all("\\bpacegate-([a-z]+(?:-[a-z]+)*)", readme);
    assertTrue(artifacts.size() > 5, () -> "only " + artifacts);
    for (String artifact : artifacts) {
      String pom = Files.readString(folder(artifact).resolve("pom.xml"));
      assertTrue(pom.contains("<artifactId>pacegate-" + artifact + "</artifactId>"), artifact);
    }
  }

  /** Some are named by the first word of their artifact. */
  private static Path folder(String artifact) {
    Path whole = ROOT.resolve(artifact);
    return Files.exists(whole) ? whole : ROOT.resolve(artifact.replaceAll("-.*", ""));
  }

  /** Returns the version that the README tells to add: a snapshot only before the first release. */
  private static String toAdd(String version, String changes) {
    List<String> released = all("(?m)^## \\[?(\\d+\\.\\d+\\.\\d+)\\b", changes);
    return version.endsWith("-SNAPSHOT") && !released.isEmpty() ? released.get(0) : version;
  }

  @Test
  void betweenReleasesTheReadmeNamesTheLast() {
    String changes = "## Unreleased\n\n## 0.2.0 (2026-12-01)\n\n## 0.1.0 (2026-11-30)\n";
    assertEquals("0.2.0", toAdd("0.3.0-SNAPSHOT", changes));
    assertEquals("0.3.0", toAdd("0.3.0", changes));
    assertEquals("0.1.0-SNAPSHOT", toAdd("0.1.0-SNAPSHOT", "## Unreleased\n"));
  }

  @Test
  void everyOptionOfTheBuildIsKnown() throws IOException {
    String pom = Files.readString(ROOT.resolve("pom.xml"));
    List<String> options =
        all("\\./mvnw [^`\\n]*-D(\\w+)", Files.readString(ROOT.resolve("README.md")));
    assertFalse(options.isEmpty());
    for (String option : options) {
      assertTrue(pom.contains("<name>" + option + "</name>"), option);
    }
  }

  /** What {@code requires} names is what the module of that artifact is called. */
  @Test
  void everyModuleIsThere() throws IOException {
    Matcher row =
        Pattern.compile("(?m)^\\| \\[`pacegate-([\\w-]+)`\\].*`requires ([\\w.]+);`")
            .matcher(Files.readString(MODULES));
    int rows = 0;
    for (; row.find(); rows++) {
      Path module = folder(requireNonNull(row.group(1)));
      Path descriptor = module.resolve("src/main/java/module-info.java");
      String name = requireNonNull(row.group(2));
      if (Files.exists(descriptor)) {
        assertTrue(Files.readString(descriptor).contains("module " + name + " {"), name);
      } else {
        String pom = Files.readString(module.resolve("pom.xml"));
        assertTrue(
            pom.contains("<Automatic-Module-Name>" + name + "</Automatic-Module-Name>"), name);
      }
    }
    assertTrue(rows >= 5, "rows: " + rows);
  }

  private static List<String> all(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    var all = new ArrayList<String>();
    while (matcher.find()) {
      all.add(requireNonNull(matcher.group(1)));
    }
    return all;
  }

  private static String first(String pattern, String text) {
    return all(pattern, text).get(0);
  }

  private static List<String> snippets(String language) throws IOException {
    var snippets = new ArrayList<String>();
    for (Path page : pages()) {
      snippets.addAll(all(SNIPPET.formatted(language), Files.readString(page)));
    }
    return snippets;
  }

  private static String title(String text) {
    return text.lines().filter(line -> !isImport(line) && !line.isBlank()).findFirst().orElse("");
  }

  private static boolean isImport(String line) {
    return line.startsWith("import ");
  }

  /** Returns a class of its own around a snippet, whose imports go where they belong. */
  private static String around(String text) {
    var imports = new StringBuilder();
    var body = new StringBuilder();
    text.lines().forEach(line -> (isImport(line) ? imports : body).append(line).append('\n'));
    return AROUND.replace("%imports", imports).replace("%s", body);
  }

  private static Path compiled(String text, Path folder) throws IOException {
    Path classes = Files.createTempDirectory(folder, "snippet");
    var errors = new StringWriter();
    boolean compiled =
        ToolProvider.getSystemJavaCompiler()
            .getTask(
                errors,
                null,
                null,
                List.of("-d", classes.toString(), "-cp", CLASS_PATH),
                null,
                List.of(new Source(around(text))))
            .call();
    assertTrue(compiled, errors::toString);
    return classes;
  }

  private static void compileAndRun(String text, Path folder) throws Exception {
    URL[] where = {compiled(text, folder).toUri().toURL()};
    try (var loader = new URLClassLoader(where, ReadmeTest.class.getClassLoader())) {
      loader.setDefaultAssertionStatus(true);
      loader.loadClass("Snippet").getMethod("run").invoke(null);
    }
  }

  /** Runs a command line in a shell, with this build in place of the launcher. */
  private static void runCommand(String line) throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String here = "'" + java + "' -cp '" + CLASS_PATH + "' dev.pacegate.cli.Main";
    Path output = Files.createTempFile("command", ".txt");
    Process shell =
        new ProcessBuilder("sh", "-c", line.replace("./pacegate", here))
            .directory(ROOT.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertTrue(shell.waitFor(60, TimeUnit.SECONDS), line);
      assertEquals(0, shell.exitValue(), Files.readString(output));
    } finally {
      shell.descendants().forEach(ProcessHandle::destroyForcibly);
      shell.destroyForcibly();
      Files.delete(output);
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String text) {
      super(URI.create("string:///Snippet.java"), JavaFileObject.Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
