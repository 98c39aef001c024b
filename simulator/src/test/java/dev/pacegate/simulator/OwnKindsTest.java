package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.limit.Limit;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A module of a user's with a limit and a promise of its own, compiled against what Pacegate
 * exports and run in a process of its own: see {@code src/test/resources/org.example.rounds}.
 */
class OwnKindsTest {

  private static final String MODULE = "org.example.rounds";

  @TempDir Path classes;

  @Test
  void aLimitOfAUsersOwnWorksOrIsRefused() throws Exception {
    var javac = new ArrayList<>(List.of("javac", "--release", "17", "-Xlint:all", "-Werror"));
    javac.addAll(List.of("-p", modulePath(), "-d", classes.toString()));
    try (Stream<Path> files = Files.walk(Path.of("src", "test", "resources", MODULE))) {
      files.map(Path::toString).filter(name -> name.endsWith(".java")).forEach(javac::add);
    }
    assertEquals("", run(javac));
    String path = modulePath() + File.pathSeparator + classes;
    assertEquals(
        """
        estimate: PT1S
        fourth at: PT3.7S
        snapshot: [MostCounted[promise=RoundsPromise[max=3, rest=1000000000], count=3]]
        a sum: 2
        spent, one waits: PT1S
        from a window: 0 at once, 3 a second later
        to a window: 0 at once, 3 a second later
        to itself: 0 at once, 3 a second later
        to a longer one: 1 at once, 0 a second later
        to one as the peer counts: 0 at once, 0 a second later
        from one as the peer counts: 0 at once, 3 a second later
        simulated, kept: true
        simulated, of theory: 100%
        audit: 4 requests within 2s, from 0 to 2000000000
        kept: at most 3 without a break of PT1S
          most without a break: 3, from 0 to 1000000000
          limit that fits: at most 3 without a break of PT1S
        audit: 7 requests within 2.999999999s, from 0 to 2999999999
        broken: at most 3 without a break of PT1S
          most without a break: 4, from 2000000000 to 2999999999
          limit that fits: at most 4 without a break of PT1S
        share: refused: no share of rounds(3, PT1S) can be reserved
        peer: refused: peer takes a window, a bucket or a spacing, or several of them joined by &, not rounds(3, PT1S)
        starts: refused: starts takes a window, a bucket or a spacing, not rounds(3, PT1S)
        text: refused: "rounds(3, PT1S)", column 1: there is no limit "rounds", expected a rate such as 10/1m, or one of bucket, warmup, spacing, fixed, aligned, concurrent, peer, starts, unlimited
        state: refused: a state file stores limits as text, and Limits.parse cannot read this one: rounds(3, PT1S)
        """,
        run(List.of("java", "-p", path, "-m", MODULE + "/" + MODULE + ".Main")));
  }

  private static String modulePath() throws Exception {
    var paths = new ArrayList<String>();
    for (Class<?> one :
        List.of(
            Limit.class,
            Simulation.class,
            Class.forName("org.jspecify.annotations.Nullable"),
            Class.forName("org.snakeyaml.engine.v2.api.Load"))) {
      paths.add(
          Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
    }
    return String.join(File.pathSeparator, paths);
  }

  private static String run(List<String> command) throws IOException, InterruptedException {
    var all = new ArrayList<>(command);
    all.set(0, Path.of(System.getProperty("java.home"), "bin", command.get(0)).toString());
    Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    return said;
  }
}
