package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Audit;
import dev.pacegate.audit.Report;
import dev.pacegate.limit.Limits;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Processes that share a limit, and what they say while their store is away. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(
    value = 300,
    threadMode = ThreadMode.SEPARATE_THREAD) // reading a pipe cannot be interrupted
class StoreProcessTest {

  private static final Duration SOON = Duration.ofMinutes(2);

  private final List<Process> started = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @TempDir Path folder;

  @AfterEach
  void killAll() {
    started.forEach(Process::destroyForcibly);
    threads.shutdownNow();
  }

  private Process start(String name, List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectError(err(name).toFile()).start();
    started.add(process);
    return process;
  }

  private Process pacegate(String name, String... arguments) throws IOException {
    return start(name, ProcessTest.java(Main.class, arguments));
  }

  private Path err(String name) {
    return folder.resolve(name);
  }

  private String said(String name) throws IOException {
    return Files.readString(err(name), UTF_8);
  }

  private String since(String name, int length) throws IOException {
    return said(name).substring(length);
  }

  // ---- a limit of two

  /** Longer than what a pipe holds, so that no line is written whole before it is read. */
  private static final int LONG_LINE = 100_000;

  @Test
  void twoPipesTogetherKeepALimit() throws Exception {
    String limit = "10/400ms";
    try (var server = RedisServer.start(Version.V6_2)) {
      StoreTest.introduce(server, "api", "peer(10/400ms)");
      var instants = new ConcurrentSkipListMap<Long, Long>();
      var readers = new ArrayList<CompletableFuture<Integer>>();
      for (String name : List.of("one", "two")) {
        Process pipe =
            pacegate(name, "pipe", "-q", limit, "--store", server.uri(), "--name", "api");
        threads.execute(() -> feed(pipe.getOutputStream(), 15));
        readers.add(
            CompletableFuture.supplyAsync(() -> read(pipe.getInputStream(), instants), threads));
      }
      for (CompletableFuture<Integer> reader : readers) {
        assertEquals(15, reader.get(200, TimeUnit.SECONDS));
      }
      for (Process pipe : started) {
        assertTrue(pipe.waitFor(120, TimeUnit.SECONDS), "it hangs");
        assertEquals(Status.OK, pipe.exitValue());
      }
      assertTrue(isAboutABusyServer(said("one") + said("two")), said("one") + said("two"));
      var audit = Audit.of(Limits.parse(limit));
      instants.forEach(audit::add);
      Report report = audit.report();
      assertTrue(report.kept(), report::text);
    }
  }

  /**
   * The server of a loaded machine may answer late, or later than the store's time-out; so may one
   * to which two connect at once.
   */
  private static boolean isAboutABusyServer(String text) {
    return text.lines()
        .allMatch(line -> line.matches("pacegate: api: the store (does not answer: |takes ).*"));
  }

  private static void feed(OutputStream to, int lines) {
    byte[] line = ("x".repeat(LONG_LINE - 1) + "\n").getBytes(US_ASCII);
    try (to) {
      for (int i = 0; i < lines; i++) {
        to.write(line);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Notes an instant for each line: after its first byte was read, and before more is read. Then it
   * has not been written whole, so its permit is open.
   */
  private static int read(InputStream in, ConcurrentSkipListMap<Long, Long> instants) {
    int lines = 0;
    boolean begins = true;
    byte[] buffer = new byte[4096];
    try {
      for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
        long now = System.nanoTime();
        for (int i = 0; i < n; i++) {
          if (begins) {
            lines++;
            instants.merge(now, 1L, Long::sum);
          }
          begins = buffer[i] == '\n';
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return lines;
  }

  // ---- a store that goes away

  @Test
  @Tag("slow")
  void waitsAndSaysOnceWhyWhileTheStoreIsAway() throws Exception {
    try (var server = RedisServer.start(Version.V6_2)) {
      String limit = "peer(20/200ms, unanswered=100ms)";
      Process pipe =
          pacegate("away", "pipe", "-q", limit, "--store", server.uri(), "--name", "api");
      threads.execute(() -> feedLines(pipe.getOutputStream()));
      BufferedReader out = pipe.inputReader(UTF_8);
      assertEquals("x", out.readLine());
      assertTrue(said("away").contains("pacegate: api: no permits are granted for "), said("away"));
      // As the first calls of two processes may, one on a loaded machine may have waited too long.
      int before = said("away").length();
      server.kill9();
      CompletableFuture<Void> rest = CompletableFuture.runAsync(() -> readAll(out), threads);
      // On a loaded machine, an answer may be late before there is none, which is another reason.
      Await.until("it says so", SOON, () -> since("away", before).contains("cannot connect"));
      Thread.sleep(1500); // that it says no more cannot be awaited
      List<String> lines = since("away", before).lines().toList();
      for (int i = 1; i < lines.size(); i++) {
        assertNotEquals(lines.get(i - 1), lines.get(i));
      }
      String last = lines.get(lines.size() - 1);
      assertTrue(last.contains("cannot connect"), last);
      assertTrue(last.startsWith("pacegate: api: the store does not answer: "), last);
      assertTrue(last.endsWith("; requests wait"), last);
      server.restart();
      rest.get(200, TimeUnit.SECONDS);
      assertTrue(pipe.waitFor(120, TimeUnit.SECONDS), "it hangs");
      assertEquals(Status.OK, pipe.exitValue(), said("away"));
      assertTrue(said("away").lines().allMatch(l -> l.startsWith("pacegate: api: ")), said("away"));
    }
  }

  private static void feedLines(OutputStream to) {
    try (to) {
      to.write("x\n".repeat(100).getBytes(US_ASCII));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void readAll(BufferedReader out) {
    assertEquals(99, out.lines().count());
  }

  @Test
  @Tag("slow")
  void anInterruptEndsAPipeWhoseStoreIsAway() throws Exception {
    try (var server = RedisServer.start(Version.V6_2)) {
      StoreTest.introduce(server, "api", "peer(1/1h)");
      Process pipe =
          pacegate("away", "pipe", "-q", "1/1h", "--store", server.uri(), "--name", "api");
      pipe.outputWriter(UTF_8).append("1\n2\n").flush();
      assertEquals("1", pipe.inputReader(UTF_8).readLine());
      boolean ignored = ProcessTest.ignoresInterrupts(pipe); // of a shell in the background
      server.kill9();
      String signal = ignored ? "-TERM" : "-INT";
      new ProcessBuilder("kill", signal, String.valueOf(pipe.pid())).start().waitFor();
      assertTrue(pipe.waitFor(120, TimeUnit.SECONDS), "it hangs");
      assertEquals(Status.SIGNALLED + (ignored ? 15 : 2), pipe.exitValue());
    }
  }

  @Test
  @Tag("slow")
  void endsSilentlyWhenNoReaderIsLeft() throws Exception {
    try (var server = RedisServer.start(Version.V6_2)) {
      StoreTest.introduce(server, "api", "peer(1000/1s)");
      Process pipe =
          pacegate("gone", "pipe", "-q", "1000/1s", "--store", server.uri(), "--name", "api");
      threads.execute(() -> feedLines(pipe.getOutputStream()));
      pipe.getInputStream().close();
      assertTrue(pipe.waitFor(120, TimeUnit.SECONDS), "it hangs");
      assertEquals(141, pipe.exitValue());
      assertTrue(isAboutABusyServer(said("gone")), said("gone"));
    }
  }

  // ---- no store

  @Test
  void withoutAStoreItsClientIsNotLoaded() throws Exception {
    List<String> command = ProcessTest.java(Main.class, "pipe", "-q", "1/1s");
    command.add(1, "-Xlog:class+load:stderr");
    Process pipe = start("loaded", command);
    pipe.getOutputStream().close();
    assertTrue(pipe.waitFor(120, TimeUnit.SECONDS), "it hangs");
    List<String> loaded = said("loaded").lines().toList();
    assertTrue(loaded.stream().anyMatch(line -> line.contains("dev.pacegate.cli.Pipe ")));
    List<String> ofStores =
        loaded.stream()
            .filter(
                line ->
                    Stream.of("dev.pacegate.redis.", "lettuce", "io.netty", "reactor.", "slf4j")
                        .anyMatch(line::contains))
            .toList();
    assertEquals(List.of(), ofStores);
  }
}
