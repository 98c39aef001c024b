package dev.pacegate.redis.rig;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ChildTest {

  private static final Duration LONGEST = Duration.ofSeconds(60);

  /** Says what it was given, then repeats its standard input. */
  static final class Echo {

    private Echo() {}

    public static void main(String[] args) throws IOException {
      System.err.println("to stderr");
      System.out.println("args " + Arrays.toString(args));
      var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
        System.out.println(line);
      }
      System.exit(7);
    }
  }

  /** Starts a server and a JVM and is killed. */
  static final class Parent {

    private Parent() {}

    public static void main(String[] args) throws Exception {
      var redis = RedisServer.start(Version.V6_2);
      var echo = Child.start(Echo.class);
      echo.line(LONGEST);
      System.out.println(redis.pid());
      System.out.println(echo.pid());
      Thread.sleep(LONGEST.toMillis()); // is killed meanwhile
    }
  }

  @Test
  void readsWritesAndEnds() throws Exception {
    try (var child = Child.start(Echo.class, "one", "two")) {
      assertEquals("args [one, two]", child.line(LONGEST));
      child.write("skipped");
      child.write("count 5");
      assertEquals("5", child.line("count ", LONGEST));
      assertTrue(child.isAlive());
      child.write("end");
      assertEquals(7, child.exit(LONGEST));
    }
  }

  @Test
  void aFailureShowsTheStandardError() throws Exception {
    try (var child = Child.start(Echo.class)) {
      child.line(LONGEST);
      var late = assertThrows(AssertionError.class, () -> child.line(Duration.ofMillis(50)));
      assertTrue(String.valueOf(late.getMessage()).contains("to stderr"), late.getMessage());
      Await.until("its threads", LONGEST, () -> child.stderr().contains("Echo.main("));
      child.kill9();
      assertFalse(child.isAlive());
      assertThrows(AssertionError.class, () -> child.line(LONGEST));
      assertThrows(AssertionError.class, () -> child.line("x", LONGEST));
    }
  }

  @Test
  void aStoppedOneSaysNothing() throws Exception {
    try (var child = Child.start(Echo.class)) {
      child.line(LONGEST);
      child.stop();
      child.write("hello");
      assertThrows(AssertionError.class, () -> child.line(Duration.ofMillis(200)));
      child.cont();
      assertEquals("hello", child.line(LONGEST));
    }
  }

  @Test
  void processesOfAKilledJvmEndToo() throws Exception {
    try (var parent = Child.start(Parent.class)) {
      long server = Long.parseLong(parent.line(LONGEST));
      long child = Long.parseLong(parent.line(LONGEST));
      assertTrue(runs(server) && runs(child));
      parent.kill9();
      Await.until("both end", LONGEST, () -> !runs(server) && !runs(child));
    }
  }

  /** Until its new parent looks, a process that has ended remains as a zombie. */
  private static boolean runs(long pid) throws IOException {
    Path stat = Path.of("/proc/" + pid + "/stat");
    return Files.exists(stat) && !Files.readString(stat).contains(") Z ");
  }
}
