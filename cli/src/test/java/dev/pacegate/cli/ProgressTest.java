package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.time.ManualTime;
import java.io.ByteArrayInputStream;
import java.io.FileInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What people see who watch a command. */
class ProgressTest {

  private final ManualTime time = ManualTime.manual();
  private final Plan plan = new Plan("lines");

  /** Work that is done by saying so. */
  static final class Plan implements Progress.Work {
    private final String unit;
    long done;
    long total = -1;
    long failed;
    long due;
    long skipped;
    boolean isAllPaid = true;
    boolean isDueOrLater;
    @Nullable String waitsFor;

    Plan(String unit) {
      this.unit = unit;
    }

    @Override
    public String unit() {
      return unit;
    }

    @Override
    public long done() {
      return done;
    }

    @Override
    public long total() {
      return total;
    }

    @Override
    public long failed() {
      return failed;
    }

    @Override
    public long paid() {
      return done - skipped;
    }

    @Override
    public boolean isAllPaid() {
      return isAllPaid;
    }

    @Override
    public long due() {
      return due;
    }

    @Override
    public boolean isDueOrLater() {
      return isDueOrLater;
    }

    @Override
    public @Nullable String waitsFor() {
      return waitsFor;
    }
  }

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).build();
  }

  private void pass(Progress progress, int seconds) {
    for (int look = 0; look < 4 * seconds; look++) {
      time.advance(Duration.ofMillis(250));
      progress.look();
    }
  }

  /** The ten that go at once would make it 20 in the first minute. */
  @Test
  void theRateIsThatOfAWholeInterval() {
    var progress = new Progress(limiter("10/1m"), plan);
    plan.done = 10;
    pass(progress, 60);
    assertEquals("10 lines in 1m (10/1m)", progress.text());
    plan.done = 20;
    pass(progress, 2);
    assertEquals("20 lines in 1m2s, 10.0/m (10/1m)", progress.text());
    pass(progress, 120);
    assertEquals("20 lines in 3m2s, 3.3/m (10/1m)", progress.text());
  }

  @Test
  void shortIntervalsAreTakenTogether() {
    var progress = new Progress(limiter("5/1s"), plan);
    for (int second = 0; second < 20; second++) {
      plan.done += 5;
      pass(progress, 1);
    }
    assertEquals("100 lines in 20s, 5.0/s (5/1s)", progress.text());
  }

  @Test
  void linesThatTakeNoPermitAreNoPartOfTheRateNorIsTheEndKnownThen() {
    plan.total = 1000;
    plan.failed = 2;
    plan.skipped = 500;
    plan.done = 500;
    plan.isAllPaid = false;
    var progress = new Progress(limiter("10/1s"), plan);
    for (int second = 0; second < 12; second++) {
      plan.done++;
      pass(progress, 1);
    }
    assertEquals("512 of 1000 lines in 12s, 2 failed, 1.0/s (10/1s)", progress.text());
    plan.isAllPaid = true;
    assertEquals("512 of 1000 lines in 12s, 2 failed, 1.0/s, 8m7s left (10/1s)", progress.text());
  }

  @Test
  void aSlowerPeerMakesTheRestLonger() {
    plan.total = 100;
    var progress = new Progress(limiter("10/1s"), plan);
    for (int second = 0; second < 12; second++) {
      plan.done++;
      pass(progress, 1);
    }
    assertEquals("12 of 100 lines in 12s, 1.0/s, 1m27s left (10/1s)", progress.text());
  }

  @Test
  void tellsWhenTheNextGoesIfThatIsKnown() {
    var limiter = limiter("peer(bucket(3/1h, burst=3))");
    plan.due = time.nanoTime() + limiter.estimateWait(1).toNanos();
    var waiting = limiter.acquireAsync();
    var progress = new Progress(limiter, plan);
    pass(progress, 2);
    assertTrue(progress.text().startsWith("0 lines in 2s, next in 19m59s ("), progress.text());
    plan.isDueOrLater = true;
    assertTrue(progress.text().contains(", next in at least 19m59s ("), progress.text());
    var another = limiter.acquireAsync(); // due is that of the last
    assertTrue(progress.text().startsWith("0 lines in 2s ("), progress.text());
    assertTrue(another.cancel(false));
    limiter.pauseFor(Duration.ofHours(1));
    assertTrue(progress.text().startsWith("0 lines in 2s (paused"), progress.text());
    assertTrue(waiting.cancel(false));
  }

  /** It stands for what is waited for: the limit, unless nothing waits for a permit. */
  @Test
  void tellsWhatElseIsWaitedForIfThatIsNotThePermit() {
    var limiter = limiter("starts(1/1h)");
    var progress = new Progress(limiter, plan);
    plan.waitsFor = "input";
    plan.done = 1;
    pass(progress, 1);
    assertEquals("1 line in 1s (waiting for input)", progress.text());
    plan.done = 2;
    assertEquals("2 lines in 1s (starts(1/1h))", progress.text()); // something is done
    pass(progress, 1);
    assertEquals("2 lines in 2s (waiting for input)", progress.text());
    limiter.acquireUninterruptibly().answered();
    var waiting = limiter.acquireAsync();
    assertEquals("2 lines in 2s (starts(1/1h))", progress.text());
    assertTrue(waiting.cancel(false));
  }

  /** Commands that were started before go on. */
  @Test
  void aRunThatWasStoppedCanStillBeWatched() {
    plan.total = 9;
    var limiter = limiter("peer(3/1m)");
    var progress = new Progress(limiter, plan);
    limiter.close();
    pass(progress, 3);
    assertTrue(progress.text().startsWith("0 of 9 lines in 3s"), progress.text());
  }

  /** Returns when {@code wait} has begun, in a thread that ends with the limiter. */
  private static void awaitWaiter(Limiter limiter, Callable<?> wait) {
    var thread = new Thread(() -> assertThrows(LimiterClosedException.class, wait::call));
    thread.setDaemon(true);
    thread.start();
    while (limiter.snapshot().waiting() == 0 && thread.isAlive() && !Thread.interrupted()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void theInstantThatIsDueIsThatOfTheOneThatWaits() throws Exception {
    try (var limiter = limiter("peer(1/1h)")) {
      var permits = new JobPermits(limiter, null);
      var first = permits.acquire();
      assertFalse(permits.isDueOrLater());
      long wait = limiter.estimateWait(1).toNanos();
      awaitWaiter(limiter, permits::acquire);
      assertEquals(wait, permits.due() - time.nanoTime());
      assertTrue(permits.isDueOrLater()); // the hour begins when the first ends
      first.answered();
    }
    try (var limiter = limiter("peer(1/1h)")) {
      var turnstile = new Turnstile(limiter, time);
      assertTrue(turnstile.tryEnter(1));
      turnstile.leave(0);
      long wait = limiter.estimateWait(1).toNanos();
      awaitWaiter(
          limiter,
          () -> {
            turnstile.enter(1);
            return null;
          });
      assertEquals(wait, turnstile.due() - time.nanoTime());
    }
  }

  @Test
  void linesOfAFileAreCountedWithoutMovingTheReader(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("lines"), "1\n2\nlast");
    try (var in = Input.open(file.toString(), World.real())) {
      byte[] first = new byte[2];
      assertEquals(2, in.read(first, 0));
      assertEquals(3, in.lines('\n'));
      assertEquals(8, in.size());
      assertEquals(2, in.read(first, 0));
      assertEquals('2', first[0]);
    }
  }

  /** As after {@code read} in a shell. */
  @Test
  void linesThatWereReadBeforeAreNotCounted(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("lines"), "head\n1\n2\n");
    try (var stdin = new FileInputStream(file.toFile())) {
      assertEquals(5, stdin.readNBytes(5).length);
      var world =
          new World(
              stdin,
              OutputStream.nullOutputStream(),
              System.err,
              time,
              exit -> {},
              World.Screen.NONE,
              Map.of());
      Input in = Input.open(null, world);
      assertEquals(2, in.lines('\n'));
      assertEquals(4, in.size());
    }
  }

  /** The input goes on when the line is there. */
  @Test
  @Timeout(180)
  void aLineIsDrawnWhileItTakesLongAndErased() {
    String drawn = watchPipe(World.Screen.LIVE, "200", "(waiting for input)");
    assertTrue(drawn.matches("(\r\033\\[K\\d lines? in [^\r]*\\([^\r]*\\))+\r\033\\[K"), drawn);
  }

  /** No terminal is as narrow: ten are shown then, whatever it does with them. */
  @Test
  @Timeout(180)
  void aLineIsCutToTheTerminal() {
    String drawn = watchPipe(World.Screen.LIVE, "1", "…");
    assertTrue(drawn.matches("(\r\033\\[K\\d line[^\r]{3}…)+\r\033\\[K"), drawn);
  }

  @Test
  @Timeout(180)
  void aTerminalThatCannotEraseGetsWholeLines() {
    String drawn = watchPipe(World.Screen.LINES, "200", "(waiting for input)");
    assertTrue(drawn.matches("(pacegate: \\d lines? in [^\n]*\\([^\n]*\\)\n)+"), drawn);
  }

  /** On a slow machine another line may come before or behind that with these words. */
  private String watchPipe(World.Screen screen, String columns, String words) {
    var session = Session.given(afterTheLine(words));
    session.screen = screen;
    watched = session;
    session.inRealTime().in(Map.of("COLUMNS", columns)).run("pipe", "-q", "100/1s");
    assertEquals("1\n2\n", session.out());
    assertTrue(session.err().contains(words), session.err());
    return session.err();
  }

  /** The second command waits until it is shown that both others have ended. */
  @Test
  @Timeout(180)
  @DisabledOnOs(OS.WINDOWS)
  void aRunIsWatchedToo(@TempDir Path folder) throws Exception {
    Path lines = Files.writeString(folder.resolve("lines"), "1\n2\n3\n");
    Path shown = folder.resolve("shown");
    String script = "[ $1 != 2 ] || until [ -e $0 ]; do sleep 0.01; done; [ $1 != 1 ]";
    String words = "pacegate: 2 of 3 lines in \\S+, 1 failed \\(waiting for commands\\)";
    var session = Session.given("");
    session.screen = World.Screen.LINES;
    session
        .inRealTime()
        .touches(shown, words)
        .run("run", "-qj2", "peer(9/1h)", "-a" + lines, "--", "sh", "-c", script, "" + shown);
    assertTrue(session.err().lines().anyMatch(line -> line.matches(words)), session.err());
  }

  private Session watched = Session.given("");

  /** The second line comes when these words have been shown. */
  private FilterInputStream afterTheLine(String words) {
    return new FilterInputStream(new ByteArrayInputStream("1\n2\n".getBytes(US_ASCII))) {
      private int reads;

      @Override
      public int read(byte[] bytes, int from, int length) throws IOException {
        while (++reads == 2 && !watched.err().contains(words)) {
          reads = 1;
          if (Thread.interrupted()) {
            throw new IOException("never shown: " + words);
          }
          LockSupport.parkNanos(10_000_000); // another thread shows it
        }
        return super.read(bytes, from, 2);
      }
    };
  }
}
