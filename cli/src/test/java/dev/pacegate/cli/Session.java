package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A command run within the test: what it is given, and what it leaves. */
final class Session {

  /** Something written to standard output, and when. */
  record Written(long at, String text) {}

  final List<Written> writes = new ArrayList<>();
  Time time = ManualTime.selfAdvancing();
  World.Screen screen = World.Screen.NONE;
  boolean isForeground = true;
  private InputStream in = InputStream.nullInputStream();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final List<Runnable> exits = new ArrayList<>();
  private Map<String, String> environment = Map.of();
  private int status = -1;
  private @Nullable FutureTask<Path> touching;
  private volatile boolean hasEnded;

  static Session given(String input) {
    return given(new ByteArrayInputStream(input.getBytes(UTF_8)));
  }

  static Session given(byte[] input) {
    return given(new ByteArrayInputStream(input));
  }

  static Session given(InputStream input) {
    var session = new Session();
    session.in = input;
    return session;
  }

  Session inRealTime() {
    time = Time.system();
    return this;
  }

  Session in(Map<String, String> environment) {
    this.environment = environment;
    return this;
  }

  /** Creates {@code file}, which a command may wait for, once standard error has such words. */
  Session touches(Path file, String words) {
    var when = Pattern.compile(words);
    touching = new FutureTask<>(() -> touch(file, when));
    var waiting = new Thread(touching);
    waiting.setDaemon(true);
    waiting.start();
    return this;
  }

  private Path touch(Path file, Pattern when) throws IOException {
    while (!when.matcher(err()).find()) {
      if (hasEnded && !when.matcher(err()).find()) {
        throw new AssertionError("there never was: " + when);
      }
      LockSupport.parkNanos(10_000_000); // another thread writes it
    }
    return Files.createFile(file);
  }

  private void awaitTouching() {
    if (touching != null) {
      try {
        touching.get();
      } catch (InterruptedException | ExecutionException e) {
        throw new AssertionError(e);
      }
    }
  }

  World world() {
    return new World(
        in,
        recorder(),
        printer(),
        time,
        exits::add,
        screen,
        () -> isForeground,
        environment,
        () -> Width.of(environment),
        new ReentrantLock());
  }

  /** Runs the command to its end, that of the process included. */
  Session run(String... arguments) {
    status = Main.run(world(), arguments);
    exits.forEach(Runnable::run);
    hasEnded = true;
    awaitTouching();
    return this;
  }

  private OutputStream recorder() {
    return new OutputStream() {
      @Override
      public void write(int b) {
        throw new AssertionError("a byte at a time");
      }

      @Override
      public void write(byte[] bytes, int from, int length) {
        out.write(bytes, from, length);
        writes.add(new Written(time.nanoTime(), new String(bytes, from, length, ISO_8859_1)));
      }
    };
  }

  private PrintStream printer() {
    return new PrintStream(err, true, UTF_8);
  }

  int status() {
    return status;
  }

  byte[] bytes() {
    return out.toByteArray();
  }

  String out() {
    return out.toString(UTF_8);
  }

  String err() {
    return err.toString(UTF_8);
  }

  /** Asserts that there was one line on standard error, and nothing else. */
  Session fails(int status, String message) {
    assertEquals("pacegate: " + message + "\n", err());
    assertEquals(status, status());
    return this;
  }

  /** Returns the lines on standard output. */
  List<String> lines() {
    return out().lines().toList();
  }

  Session succeeds() {
    assertEquals("", err());
    assertEquals(Status.OK, status());
    return this;
  }

  Session succeeds(String output) {
    assertEquals("", err());
    assertEquals(output, out());
    assertEquals(Status.OK, status());
    return this;
  }
}
