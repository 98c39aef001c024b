package dev.pacegate.compatibility;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program that has Pacegate on its path and nothing else compiles without a warning and runs. */
@Timeout(120)
class ConsumerTest {

  private static final String MODULE = "module consumer { requires dev.pacegate; }";

  /** Uses what is marked as nullable, in every way in which something can be marked. */
  private static final String MAIN =
      """
      package app;

      import dev.pacegate.*;
      import dev.pacegate.dispatch.Throttler;
      import dev.pacegate.limit.*;
      import java.util.concurrent.*;

      public class Main {

        private Main() {}

        public static void main(String[] args) throws Exception {
          Limiter limiter = Limiter.of("10/1m");
          Callable<String> callable = () -> "called";
          String called = limiter.call(callable);
          String later = limiter.callAsync(() -> CompletableFuture.completedFuture("x")).get();
          try (Permit permit = limiter.poll(Cost.ONE)) {
            System.out.println(called + later + permit.waited());
          }
          var measure = new Measure(Measure.Entry.PLAIN, null);
          var queue = Throttler.<String>builder(limiter).build();
          Snapshot snapshot = limiter.snapshot();
          System.out.println(measure.name() + queue.queued() + snapshot.granted());
        }
      }
      """;

  @TempDir Path folder;

  private static Path core() throws Exception {
    URI location = Limiter.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    return Path.of(location);
  }

  @Test
  void aModule() throws Exception {
    compile("--module-path", source("module-info.java", MODULE), source("app/Main.java", MAIN));
    assertEquals("calledxPT0S null03", run("-p", "-m", "consumer/app.Main"));
  }

  @Test
  void aProgramOnTheClassPath() throws Exception {
    compile("--class-path", source("app/Main.java", MAIN));
    assertEquals("calledxPT0S null03", run("-cp", "app.Main"));
  }

  private Path source(String name, String text) throws Exception {
    Path file = folder.resolve("src").resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private void compile(String pathOption, Path... sources) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    var options =
        List.of(
            "-Xlint:all",
            "-Werror",
            "--release",
            "17",
            pathOption,
            core().toString(),
            "-d",
            folder.resolve("out").toString());
    var said = new StringWriter();
    try (var files = compiler.getStandardFileManager(null, null, UTF_8)) {
      boolean compiled =
          compiler
              .getTask(said, files, null, options, null, files.getJavaFileObjects(sources))
              .call();
      assertTrue(compiled, said::toString);
    }
    assertEquals("", said.toString());
  }

  private String run(String pathOption, String... main) throws Exception {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    String path = core() + System.getProperty("path.separator") + folder.resolve("out");
    var command = new ArrayList<>(List.of(java.toString(), pathOption, path));
    command.addAll(List.of(main));
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    try (Stream<String> lines = Files.lines(output)) {
      return String.join(" ", lines.toList());
    }
  }
}
