package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.time.Time;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** One terminal, for progress and for all that is written there. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class LiveLineTest {

  private static Session run(World.Screen screen, String... arguments) {
    var session = Session.given("1\n");
    session.screen = screen;
    return session.inRealTime().run(arguments);
  }

  /** An unfinished line would be erased with the next live line, and parts of it before. */
  @Test
  void nothingThatACommandWritesIsErased() {
    String script = "head -c 20000 /dev/zero | tr '\\0' x >&2";
    String[] arguments = {"run", "-qj2", "unlimited", "--", "sh", "-c", script, "sh"};
    String written = "x".repeat(20000);
    String live = run(World.Screen.LIVE, arguments).err();
    assertTrue(live.contains(LiveLine.ERASE + written + "\n"), live);
    assertEquals(written, run(World.Screen.NONE, arguments).err());
  }

  @Test
  void commandsThatWriteToTheTerminalThemselvesAreNotErased() {
    String[] arguments = {"run", "-q", "unlimited", "--", "sh", "-c", "exit 3", "sh"};
    String err = run(World.Screen.LIVE, arguments).err();
    assertTrue(err.startsWith("pacegate: line 1"), err);
    assertFalse(err.contains("\r"), err);
  }

  private static World world(
      Consumer<byte[]> out, Consumer<byte[]> err, Consumer<Runnable> atExit, World.Screen screen) {
    return new World(
        new ByteArrayInputStream("1\n".getBytes(US_ASCII)),
        stream(out),
        new PrintStream(stream(err), true, UTF_8),
        Time.system(),
        atExit,
        screen,
        Map.of());
  }

  private static OutputStream stream(Consumer<byte[]> sink) {
    return new OutputStream() {
      @Override
      public void write(int single) {
        sink.accept(new byte[] {(byte) single});
      }

      @Override
      public void write(byte[] bytes, int from, int length) {
        sink.accept(new String(bytes, from, length, UTF_8).getBytes(UTF_8));
      }
    };
  }

  /** A reader of standard output that is slow holds up no message. */
  @ParameterizedTest
  @EnumSource
  void noLineOfProgressGetsBetweenThoseOfAGroup(World.Screen screen) {
    var world = new CompletableFuture<World>();
    List<String> written = new CopyOnWriteArrayList<>();
    Consumer<byte[]> sink =
        bytes -> {
          String text = new String(bytes, UTF_8).strip();
          if (text.equals("a") || text.equals("b")) {
            written.add(text + " " + world.join().terminal().isHeldByCurrentThread());
          }
        };
    List<Runnable> exits = new ArrayList<>();
    world.complete(world(sink, sink, exits::add, screen));
    String[] arguments = {"run", "-qj2", "unlimited", "--", "sh", "-c", "echo a; echo b >&2", "sh"};
    assertEquals(Status.OK, Main.run(world.join(), arguments));
    exits.forEach(Runnable::run);
    assertEquals(List.of("a " + (screen == World.Screen.BOTH), "b true"), written);
  }

  /** The terminal writes it behind the line, and what has wrapped then cannot be erased. */
  @Test
  void thereIsRoomForTheSignOfAnInterrupt() {
    String line = LiveLine.cut("1 line in 2s (bucket(5/1s, burst=2) & starts(100/1m))", 40);
    assertEquals("1 line in 2s (bucket(5/1s, burst=2) …", line);
    assertTrue(Cells.of(line + "^C") < 40, line);
    assertEquals("a".repeat(37), LiveLine.cut("a".repeat(37), 40));
  }

  /** As after Ctrl-S. */
  @Test
  void commandsAreKilledThoughTheTerminalTakesNothing() throws Exception {
    var stuck = new CountDownLatch(1);
    var moving = new CountDownLatch(1);
    List<Runnable> exits = new CopyOnWriteArrayList<>();
    Consumer<byte[]> err =
        bytes -> {
          stuck.countDown();
          try {
            moving.await();
          } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
          }
        };
    World world = world(bytes -> {}, err, exits::add, World.Screen.LIVE);
    String[] arguments = {"run", "-qj2", "unlimited", "--", "sh", "-c", "exec sleep 1000", "sh"};
    CompletableFuture<Integer> run =
        CompletableFuture.supplyAsync(() -> Main.run(world, arguments));
    try {
      stuck.await();
      exits.forEach(Runnable::run);
      assertEquals(Status.COMMAND_KILLED, run.join());
    } finally {
      moving.countDown();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'', xterm, NONE",
    "live, xterm, LIVE",
    "live, dumb, LINES",
    "live, '', LINES",
    "lines, xterm, LINES",
    "both, xterm, BOTH",
    "both, dumb, BOTH"
  })
  void aTerminalThatIsDumbOrUnknownGetsWholeLines(
      String found, String terminal, World.Screen screen) {
    assertEquals(screen, World.Screen.of(found, terminal));
  }
}
