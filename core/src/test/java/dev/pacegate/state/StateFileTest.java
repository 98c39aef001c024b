package dev.pacegate.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.pacegate.Limiter;
import dev.pacegate.OtherMachine;
import dev.pacegate.Permit;
import dev.pacegate.Share;
import dev.pacegate.StateFileException;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limiters that resume what an earlier one left in a file. */
class StateFileTest {

  private static final Instant NOON = Instant.parse("2030-01-01T12:00:00Z");
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final ManualTime time = ManualTime.manual();

  @TempDir Path folder;
  private Instant wall = NOON;
  private UUID boot = new UUID(1, 2);

  private Limiter.Builder builder(String limit, Path file) {
    var machine = new BootClock(Clock.fixed(wall, ZoneOffset.UTC), boot);
    return OtherMachine.runs(Limiter.builder(limit), machine).time(time).state(file);
  }

  private Limiter limiter(String limit, Path file) {
    return builder(limit, file).build();
  }

  private Path file() {
    return folder.resolve("state");
  }

  /** What a process that is killed leaves behind. */
  private Path left(Path file) throws IOException {
    return Files.copy(file, folder.resolve("left" + System.nanoTime()));
  }

  private static int takeAll(Limiter limiter) {
    int taken = 0;
    while (limiter.tryAcquire().isPresent()) {
      taken++;
    }
    return taken;
  }

  // ---- going on

  /** The bound of 2 s runs from the sending, whether the request was lost or its process died. */
  @Test
  void goesOnFromWhenARequestWasSent() throws IOException {
    String limit = "peer(1/10s, counted=2s, margin=0s)";
    try (Limiter first = limiter(limit, file())) {
      Permit permit = first.tryAcquire().orElseThrow();
      time.advance(Duration.ofMillis(1_900));
      permit.sending();
      Path whileOpen = left(file());
      permit.lost();
      Path lost = left(file());
      time.advance(Duration.ofMillis(11_999));
      try (Limiter next = limiter(limit, whileOpen);
          Limiter other = limiter(limit, lost)) {
        assertEquals(0, takeAll(next));
        assertEquals(0, takeAll(other));
        time.advance(Duration.ofMillis(1));
        assertEquals(1, takeAll(next));
        assertEquals(1, takeAll(other));
      }
    }
  }

  @Test
  void goesOnAfterACrash() throws IOException {
    try (Limiter first = limiter("10/1m", file())) {
      takeAll(first);
      time.advance(Duration.ofSeconds(20));
      try (Limiter next = limiter("10/1m", left(file()))) {
        assertEquals(Duration.ofSeconds(40), next.estimateWait(1));
        time.advance(Duration.ofSeconds(40));
        assertEquals(10, takeAll(next));
      }
    }
  }

  @Test
  void goesOnAfterAClose() {
    limiter("10/1m", file()).close();
    for (int taken = 1; taken <= 10; taken++) {
      try (Limiter one = limiter("10/1m", file())) {
        assertTrue(one.tryAcquire().isPresent());
      }
    }
    try (Limiter last = limiter("10/1m", file())) {
      assertTrue(last.tryAcquire().isEmpty());
    }
  }

  @Test
  void anOpenPermitIsLostWhenTheProcessDies() throws IOException {
    try (Limiter first = limiter("peer(1/1m, unanswered=30s, margin=0s)", file())) {
      Permit open = first.tryAcquire().orElseThrow();
      time.advance(Duration.ofSeconds(10));
      Path left = left(file());
      open.answered(); // which no caller knows
      try (Limiter next = limiter("peer(1/1m, unanswered=30s, margin=0s)", left)) {
        assertEquals(Duration.ofSeconds(80), next.estimateWait(1));
      }
      try (Limiter other = limiter("peer(1/1m, unanswered=30s, margin=0s)", left(file()))) {
        assertEquals(MINUTE, other.estimateWait(1));
      }
    }
  }

  @Test
  void remembersNamedCostsCorrectedCostsAndLateSends() throws IOException {
    String limit = "100/1m & 1000/1m of tokens";
    try (Limiter first = builder(limit, file()).late(Duration.ofSeconds(1)).build()) {
      Permit permit = first.tryAcquire(Cost.of("tokens", 900)).orElseThrow();
      permit.settle(Cost.of("tokens", 400));
      time.advance(Duration.ofSeconds(5));
      permit.sending();
      try (Limiter next = limiter(limit, left(file()))) {
        assertTrue(next.tryAcquire(Cost.of("tokens", 201)).isEmpty());
        assertEquals(Duration.ofSeconds(55), next.estimateWait(Cost.of("tokens", 600)));
        assertEquals(MINUTE, next.estimateWait(Cost.of("tokens", 601)));
      }
    }
  }

  @Test
  void remembersTheCorrectionOfWhatWasSentLate() throws IOException {
    String limit = "peer(10/1m, unanswered=30s, margin=0s) & 30/1m";
    try (Limiter first = builder(limit, file()).late(Duration.ofSeconds(1)).build()) {
      Permit permit = first.tryAcquire().orElseThrow();
      time.advance(Duration.ofSeconds(5));
      permit.sending();
      permit.settle(8);
      try (Limiter next = limiter(limit, left(file()))) {
        assertEquals(2, takeAll(next));
      }
      time.advance(Duration.ofSeconds(55));
      permit.answered();
      time.advance(Duration.ofSeconds(1)); // of the start, 59 seconds ago when it was sent
      try (Limiter next = limiter(limit, left(file()))) {
        assertEquals(2, takeAll(next));
      }
    }
  }

  @Test
  void remembersTheLimitItWasGiven() throws IOException {
    try (Limiter first = limiter("10/1m", file())) {
      takeAll(first);
      first.setLimit("10/1h");
      Path left = left(file());
      time.advance(MINUTE);
      try (Limiter next = limiter("12/1m", left)) { // the hour is not over yet
        assertEquals("12/1m", next.limit().toString());
        assertEquals(12, takeAll(next));
      }
      first.setLimit("2/1m");
      try (Limiter next = limiter("2/1m", left(file()))) {
        assertEquals(2, takeAll(next));
      }
    }
  }

  @Test
  void lanesDrawFromTheSameFile() throws IOException {
    try (Limiter first =
        builder("10/1m", file()).lane("a", Share.weight(1).reserving(50)).build()) {
      assertEquals(5, takeAll(first));
      assertEquals(5, takeAll(first.lane("a")));
      try (Limiter next = limiter("10/1m", left(file()))) {
        assertEquals(0, takeAll(next));
      }
    }
  }

  // ---- time

  @Test
  void theWallClockTellsTheTimeAcrossARestartOfTheMachine() {
    Limiter first = limiter("10/1m", file());
    takeAll(first);
    first.close();
    boot = new UUID(3, 4);
    wall = NOON.plusSeconds(20);
    Limiter next = limiter("10/1m", file());
    assertEquals(Duration.ofSeconds(40), next.estimateWait(1));
    next.close();
    boot = new UUID(5, 6);
    wall = NOON.minusSeconds(1_000_000);
    Limiter last = limiter("10/1m", file());
    assertEquals(Duration.ofSeconds(40), last.estimateWait(1));
    last.close();
  }

  @Test
  void withoutACloseNothingIsKnownAfterARestartOfTheMachine() throws IOException {
    try (Limiter first = limiter("10/1m", file())) {
      first.tryAcquire();
      Path left = left(file());
      boot = new UUID(3, 4);
      wall = NOON.plusSeconds(1_000_000);
      try (Limiter next = limiter("10/1m", left)) {
        assertEquals(MINUTE, next.estimateWait(1));
      }
    }
  }

  @Test
  void whereTheBootIsNotKnownACloseIsNeeded() throws IOException {
    boot = new UUID(0, 0);
    try (Limiter first = limiter("10/1m", file())) {
      first.tryAcquire();
      Path left = left(file());
      try (Limiter next = limiter("10/1m", left)) {
        assertEquals(0, takeAll(next));
      }
      wall = NOON.plusSeconds(60);
      try (Limiter last = limiter("10/1m", left)) {
        assertEquals(10, takeAll(last));
      }
    }
  }

  @Test
  void aClockThatBeganAnewIsNotBelieved() throws IOException {
    time.advance(Duration.ofHours(1));
    try (Limiter first = limiter("10/1m", file())) {
      first.tryAcquire();
      Limiter next =
          OtherMachine.runs(
                  Limiter.builder("10/1m"), new BootClock(Clock.fixed(wall, ZoneOffset.UTC), boot))
              .time(ManualTime.manual())
              .state(left(file()))
              .build();
      assertEquals(0, takeAll(next));
      next.close();
    }
  }

  // ---- one at a time, and what is wrong

  @Test
  void oneLimiterAtATime() {
    try (Limiter first = limiter("10/1m", file())) {
      assertTrue(assertFails(file(), "is in use").isInUse());
      assertTrue(first.tryAcquire().isPresent());
      assertFails(file(), "is in use"); // the first failure has not given it away
    }
    limiter("10/1m", file()).close();
  }

  @Test
  void oneOfManyThatComeAtTheSameTime() throws Exception {
    for (int round = 0; round < 20; round++) {
      Path file = folder.resolve("new" + round);
      var made = new ConcurrentLinkedQueue<Limiter>();
      var wrong = new ConcurrentLinkedQueue<String>();
      var threads = new ArrayList<Thread>();
      for (int i = 0; i < 4; i++) {
        threads.add(
            new Thread(
                () -> {
                  try {
                    made.add(limiter("10/1m", file));
                  } catch (StateFileException e) {
                    wrong.add(String.valueOf(e.getMessage()));
                  }
                }));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(1, made.size(), wrong::toString);
      assertTrue(wrong.stream().allMatch(text -> text.contains("is in use")), wrong::toString);
      made.forEach(Limiter::close);
    }
  }

  @Test
  void aThreadThatIsInterruptedMakesOneAllTheSame() {
    for (int i = 0; i < 2; i++) { // anew, and once more
      Thread.currentThread().interrupt();
      Limiter limiter = limiter("10/1m", file());
      assertTrue(Thread.currentThread().isInterrupted());
      limiter.close();
      assertTrue(Thread.interrupted());
    }
  }

  @Test
  void aFailedBuildLeavesTheFileToOthers() {
    Limiter.Builder wrong = builder("1/1m", file()).lane("a", Share.weight(1).reserving(50));
    assertThrows(IllegalArgumentException.class, wrong::build);
    limiter("1/1m", file()).close();
  }

  @Test
  void aClosedLimiterWritesNothing() {
    Limiter first = limiter("peer(1/1m, unanswered=0s, margin=0s)", file());
    Permit open = first.tryAcquire().orElseThrow();
    first.close();
    first.close();
    try (Limiter next = limiter("peer(1/1m, unanswered=0s, margin=0s)", file())) {
      time.advance(MINUTE);
      assertEquals(1, takeAll(next));
      open.answered();
    }
  }

  @Test
  void anEmptyFileCountsAsNone() throws IOException {
    try (Limiter first = limiter("10/1m", Files.createFile(file()))) {
      assertEquals(10, takeAll(first));
    }
    try (Limiter next = limiter("10/1m", file())) {
      assertEquals(0, takeAll(next));
    }
  }

  @Test
  void everyMistakeIsNamed() throws IOException {
    assertFails(folder, "must be a regular file");
    assertFails(folder.resolve("none").resolve("state"), "there is no folder");
    assertFails(Files.writeString(folder.resolve("text"), "limits=3"), "is not a state file");
    limiter("10/1m", file()).close();
    byte[] good = Files.readAllBytes(file());
    Files.write(file(), Arrays.copyOf(good, 7));
    assertFails(file(), "is not a state file");
    Files.write(file(), new byte[100_000_000]);
    assertFails(file(), "is not a state file");
    byte[] image = new byte[10_000]; // begins with zeros, as disk images do
    image[510] = 0x55;
    Files.write(file(), image);
    assertFails(file(), "is not a state file");
    IllegalArgumentException noName =
        assertThrows(IllegalArgumentException.class, () -> builder("10/1m", Path.of("")));
    assertEquals("the state file must have a name: \"\"", noName.getMessage());
    for (int length : new int[] {8, 15, 27, 4096, good.length - 1}) {
      Files.write(file(), Arrays.copyOf(good, length));
      assertFails(file(), "is damaged or cut short");
    }
    good[8]++;
    Files.write(file(), good);
    assertFalse(assertFails(file(), "another version").isInUse());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "3/1h",
        "64/1s",
        "peer(10/1m)",
        "starts(10/1m) & spacing(1s)",
        "peer(5/1s) & concurrent(4)",
        "concurrent(64, unanswered=1m)",
        "unlimited"
      })
  void aLimitOfFewNeedsSixtyFourKilobytes(String limit) throws IOException {
    limiter(limit, file()).close();
    assertEquals(1 << 16, Files.size(file()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "65/1s",
        "3/1h of tokens",
        "peer(10/1m, counted=2s)",
        "10/1s & 1000/1d",
        "concurrent(65)",
        "bucket(10/1s, burst=5)"
      })
  void otherLimitsNeedMore(String limit) throws IOException {
    limiter(limit, file()).close();
    assertEquals(FileSize.USUAL.bytes(), Files.size(file()));
  }

  /** A limit that needs more, and then one that needs less: what went is known to both. */
  @Test
  void theFileGrowsWithItsLimit() throws IOException {
    try (Limiter few = limiter("3/1h", file())) {
      assertEquals(3, takeAll(few));
    }
    Files.writeString(folder.resolve("state.new"), "of another limiter");
    Files.createLink(folder.resolve("link"), file());
    try (Limiter many = limiter("3/1h & 1000/1h", file())) {
      assertEquals(0, takeAll(many));
      assertFails(file(), "is in use");
      assertFails(folder.resolve("link"), "is in use");
    }
    assertEquals(FileSize.USUAL.from(1 << 16).bytes(), Files.size(file()));
    try (var files = Files.list(folder)) {
      assertEquals(3, files.count());
    }
    try (Limiter again = limiter("3/1h", file())) {
      assertEquals(0, takeAll(again));
      time.advance(Duration.ofHours(1));
      assertEquals(3, takeAll(again));
    }
  }

  /** As the first version wrote it: without the number of epochs. */
  @Test
  void readsAFileOfTheFirstVersion() throws IOException {
    try (Limiter limiter = limiter("100/1m", file())) {
      assertEquals(100, takeAll(limiter));
    }
    byte[] file = Files.readAllBytes(file());
    file[8] = 1;
    Arrays.fill(file, 28, 32, (byte) 0);
    Files.write(file(), file);
    for (String limit : new String[] {"100/1m", "10/1m"}) {
      try (Limiter limiter = limiter(limit, file())) {
        assertEquals(0, takeAll(limiter));
      }
    }
    assertEquals(1, Files.readAllBytes(file())[8]);
  }

  @Test
  void aFileThatCannotBeWrittenIsNamed() {
    Path file = Path.of("/proc/version");
    assumeFalse(Files.notExists(file));
    assertFails(file, "");
  }

  private StateFileException assertFails(Path file, String message) {
    StateFileException failure =
        assertThrows(StateFileException.class, () -> limiter("10/1m", file));
    String text = String.valueOf(failure.getMessage());
    assertTrue(text.contains(file.toString()) && text.contains(message), text);
    return failure;
  }

  @Test
  void aLimitThatCannotBeKeptIsRefused() {
    String names = "1/1s of a & 1/1s of b & 1/1s of c & 1/1s of d & 1/1s of e & 1/1s of f";
    assertThrows(IllegalArgumentException.class, () -> limiter(names, file()));
    assertFalse(Files.exists(file()));
    try (Limiter limiter = limiter("10/1m", file())) {
      assertThrows(IllegalArgumentException.class, () -> limiter.setLimit(names));
      String many = "10/1m" + " & 10/1m".repeat(200);
      assertThrows(IllegalArgumentException.class, () -> limiter.setLimit(many));
      assertEquals("10/1m", limiter.limit().toString());
    }
  }

  /** More changes than are kept: the last ones count, and before them all was spent. */
  @Test
  void remembersTheLastOfManyLimits() throws IOException {
    try (Limiter first = limiter("10/1m", file())) {
      for (int i = 0; i < 200; i++) {
        first.setLimit(10 + i % 2 + "/1m");
        time.advance(Duration.ofMillis(100));
      }
      try (Limiter next = limiter("10/1m", left(file()))) {
        assertEquals(0, takeAll(next));
        time.advance(MINUTE);
        assertEquals(10, takeAll(next));
      }
    }
  }
}
