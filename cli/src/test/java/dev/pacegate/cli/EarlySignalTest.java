package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.time.Time;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A signal that comes while a command starts. */
@Tag("slow")
class EarlySignalTest {

  /** Starts a command while its process ends. */
  static final class Late {
    private Late() {}

    public static void main(String[] arguments) {
      Runtime.getRuntime().addShutdownHook(new Thread(Late::begin));
      System.exit(0);
    }

    private static void begin() {
      var world =
          new World(
              InputStream.nullInputStream(),
              OutputStream.nullOutputStream(),
              new PrintStream(System.err, true, StandardCharsets.US_ASCII),
              Time.system(),
              World::whenProcessEnds,
              World.Screen.NONE,
              Map.of());
      System.out.println(Main.run(world, "pipe", "-q", "10/1s"));
    }
  }

  /** It told of an unexpected IllegalStateException. */
  @Test
  void aCommandThatHasNotBegunEndsWithoutAWord() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Late.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    process.waitFor();
    assertEquals(Status.SIGNALLED + System.lineSeparator(), output);
  }
}
