package dev.pacegate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.context.ContextPropagator;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limiters that follow a real file, looked at when the clock of the test says so. */
class LimitersTest {

  private static final Duration PERIOD = Duration.ofSeconds(1);

  @TempDir Path folder;
  private Path file;
  private final ManualTime time = ManualTime.manual();
  private final List<Reload> reloads = new ArrayList<>();
  private final List<Exception> problems = new ArrayList<>();
  private Limiters limiters;

  private final ReloadListener listener =
      new ReloadListener() {
        @Override
        public void onReload(Path path, Reload reload) {
          assertEquals(file, path);
          reloads.add(reload);
        }

        @Override
        public void onProblem(Path path, Exception problem) {
          assertEquals(file, path);
          problems.add(problem);
        }
      };

  @BeforeEach
  void watch() throws IOException {
    file = folder.resolve("limits.properties");
    write("sms = 10/1s & concurrent(2)", "# a comment", "mail: 60/1m");
    limiters = watch(listener);
  }

  @AfterEach
  void close() {
    limiters.close();
    assertEquals(0, time.pending());
  }

  private Limiters watch(ReloadListener told) throws IOException {
    return Limiters.watch(file, told, time, Runnable::run, PERIOD);
  }

  private void write(String... lines) throws IOException {
    Files.writeString(file, String.join("\n", lines));
  }

  private void look() {
    time.advance(PERIOD);
  }

  private void settle() {
    look();
    look();
  }

  private Limit limit(String name) {
    return limiters.get(name).limit();
  }

  private static Reload changed(String... names) {
    return new Reloaded(List.of(names), List.of(), List.of());
  }

  // ---- what a change does

  @Test
  void allLimitersCarryTheContextThatWasSet() throws IOException {
    ContextPropagator tenant = job -> job;
    try (Limiters one = Limiters.builder().context(tenant).from(Map.of("a", "10/1s"));
        Limiters other = Limiters.builder().context(tenant).watch(file)) {
      assertSame(tenant, one.get("a").context());
      assertSame(tenant, other.get("sms").context());
      write("sms = 10/1s", "new = 10/1s");
      other.reload();
      assertSame(tenant, other.get("new").context(), "also of those that come later");
    }
    assertSame(ContextPropagator.standard(), limiters.get("sms").context());
  }

  @Test
  void theSameLimiterGetsTheChangedLimit() throws IOException {
    Limiter sms = limiters.get("sms");
    write("sms = 5/1s", "mail = 60/1m");
    settle();
    assertSame(sms, limiters.get("sms"));
    assertEquals(Limits.parse("5/1s"), sms.limit());
    assertEquals(List.of(changed("sms")), reloads);
  }

  @Test
  void aReloadCountsPastRequestsAndReschedulesWaiters() throws Exception {
    write("sms = 1/1d");
    settle();
    Limiter sms = limiters.get("sms");
    sms.tryAcquire().orElseThrow().answered();
    CompletableFuture<Permit> second = sms.acquireAsync();
    CompletableFuture<Permit> third = sms.acquireAsync();
    write("sms = 2/1d");
    settle();
    second.get(10, TimeUnit.SECONDS).answered();
    assertFalse(third.isDone());
  }

  @Test
  void newNamesGetALimiter() throws IOException {
    write("sms = 10/1s & concurrent(2)", "mail = 60/1m", "calls = 1/1s");
    settle();
    assertEquals("calls", limiters.get("calls").name());
    assertEquals(Limits.parse("1/1s"), limit("calls"));
    assertEquals(Set.of("sms", "mail", "calls"), limiters.names());
    assertEquals(List.of(new Reloaded(List.of(), List.of("calls"), List.of())), reloads);
  }

  @Test
  void aNameThatVanishesKeepsItsLimiterAndItsLimit() throws IOException {
    Limiter sms = limiters.get("sms");
    write("smss = 100/1s", "mail = 60/1m"); // a slip
    settle();
    assertSame(sms, limiters.get("sms"));
    assertEquals(Limits.parse("10/1s & concurrent(2)"), sms.limit());
    assertTrue(sms.tryAcquire().isPresent());
    assertEquals(List.of(new Reloaded(List.of(), List.of("smss"), List.of("sms"))), reloads);
    write("sms = 3/1s", "mail = 60/1m");
    settle();
    assertSame(sms, limiters.get("sms"));
    assertEquals(Limits.parse("3/1s"), sms.limit());
  }

  @Test
  void anEmptyFileChangesNoLimit() throws IOException {
    write("");
    settle();
    assertEquals(Limits.parse("60/1m"), limit("mail"));
    assertEquals(List.of(new Reloaded(List.of(), List.of(), List.of("mail", "sms"))), reloads);
  }

  @Test
  void nothingIsTouchedWhileNothingHasChanged() throws IOException {
    limiters.get("sms").setLimit("7/1s"); // which a second setting would undo
    for (int i = 0; i < 5; i++) {
      look();
    }
    Files.setLastModifiedTime(file, FileTime.fromMillis(0));
    settle();
    assertEquals(List.of(), reloads);
    write("# the same, said otherwise", "sms=10 / 1000ms & concurrent(2)", "mail=6/1s");
    settle();
    assertEquals(Limits.parse("7/1s"), limit("sms"));
    assertEquals(List.of(changed("mail")), reloads);
  }

  // ---- mistakes

  @Test
  void aMistakeAnywhereChangesNothingAndIsToldOnce() throws IOException {
    write("calls = 1/1s", "mail = 1000/1s", "sms = 10", "zzz = 3/1q");
    for (int i = 0; i < 5; i++) {
      look();
    }
    assertEquals(Limits.parse("60/1m"), limit("mail"));
    assertEquals(Set.of("sms", "mail"), limiters.names());
    assertEquals(List.of(), reloads);
    assertEquals(1, problems.size());
    Exception problem = problems.get(0);
    assertInstanceOf(IllegalArgumentException.class, problem);
    String message = String.valueOf(problem.getMessage());
    assertTrue(message.startsWith(file + ": sms: \"10\", column 3: expected "), message);
    assertTrue(message.contains("; zzz: \"3/1q\", column "), message);
  }

  @Test
  void aMistakeThatIsMendedIsForgotten() throws IOException {
    String before = Files.readString(file);
    write("sms = ten");
    settle();
    Files.writeString(file, before);
    settle();
    assertEquals(1, problems.size());
    assertEquals(List.of(changed()), reloads);
  }

  @Test
  void aNameThatIsThereTwiceIsAMistake() throws IOException {
    write("sms = 10/1s", "sms : 1000/1s");
    settle();
    assertEquals(Limits.parse("10/1s & concurrent(2)"), limit("sms"));
    assertEquals(file + ": named more than once: sms", problems.get(0).getMessage());
  }

  @Test
  void aFileThatIsNotUtf8IsAMistake() throws IOException {
    Files.write(file, new byte[] {'s', 'm', 's', '=', (byte) 0xE4});
    settle();
    String message = String.valueOf(problems.get(0).getMessage());
    assertTrue(message.startsWith(file + ": the file must be in UTF-8"), message);
  }

  @Test
  void namesMayHaveAnyLettersAndAFileAByteOrderMark() throws IOException {
    Files.writeString(file, "\uFEFFsms = 1/1s\ngrüße = 2/1s\n", UTF_8);
    settle();
    assertEquals(Limits.parse("1/1s"), limit("sms"));
    assertEquals(Limits.parse("2/1s"), limit("grüße"));
  }

  // ---- how files are written

  @Test
  void aHalfWrittenFileIsNotTakenIn() throws IOException {
    write("sms = 10/1m"); // of "sms = 10/1mo...": in order, by chance
    look();
    write("sms = 10/1min & concurrent(1)");
    look();
    assertEquals(Limits.parse("10/1s & concurrent(2)"), limit("sms"));
    look();
    assertEquals(Limits.parse("10/1m & concurrent(1)"), limit("sms"));
    assertEquals(1, reloads.size());
  }

  @Test
  void twoLooksWithNothingBetweenThemAreNotTwoInARow() throws IOException {
    write("sms = 3/1s");
    look();
    Files.delete(file);
    look();
    write("sms = 3/1s");
    look();
    assertEquals(List.of(), reloads);
    look();
    assertEquals(1, reloads.size());
  }

  @Test
  void aFileThatIsAwayChangesNothingAndIsTriedAgain() throws IOException {
    String before = Files.readString(file);
    Files.delete(file);
    look();
    assertEquals(List.of(), problems); // it may be about to be replaced
    for (int i = 0; i < 5; i++) {
      look();
    }
    assertEquals(1, problems.size());
    assertInstanceOf(NoSuchFileException.class, problems.get(0));
    assertEquals(Limits.parse("60/1m"), limit("mail"));
    Files.writeString(file, before);
    settle();
    assertEquals(List.of(changed()), reloads); // in order again
    Files.delete(file);
    settle();
    assertEquals(2, problems.size());
  }

  @Test
  void aMomentAwayIsNotWorthAWord() throws IOException {
    String before = Files.readString(file);
    Files.delete(file);
    look();
    Files.writeString(file, before);
    settle();
    assertEquals(List.of(), problems);
    assertEquals(List.of(), reloads);
  }

  @Test
  void aFolderInItsPlaceIsAProblem() throws IOException {
    Files.delete(file);
    Files.createDirectory(file);
    settle();
    assertInstanceOf(IOException.class, problems.get(0));
  }

  @Test
  void aFileThatIsRenamedOverItIsSeen() throws IOException {
    Path other = Files.writeString(folder.resolve("limits.properties~"), "sms = 3/1s");
    Files.move(other, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    settle();
    assertEquals(Limits.parse("3/1s"), limit("sms"));
  }

  /** The way of Kubernetes: no entry of the folder that the file is in is touched but a link. */
  @Test
  void aLinkOnTheWayThatLeadsElsewhereIsSeen() throws IOException {
    Path first = Files.createDirectory(folder.resolve("..1"));
    Path second = Files.createDirectory(folder.resolve("..2"));
    Files.writeString(first.resolve("limits"), "sms = 1/1s");
    Files.writeString(second.resolve("limits"), "sms = 2/1s");
    Path data = Files.createSymbolicLink(folder.resolve("..data"), Path.of("..1"));
    file = Files.createSymbolicLink(folder.resolve("limits"), Path.of("..data/limits"));
    limiters.close();
    limiters = watch(listener);
    Path swap = Files.createSymbolicLink(folder.resolve("..data_tmp"), Path.of("..2"));
    Files.move(swap, data, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    settle();
    assertEquals(Limits.parse("2/1s"), limit("sms"));
  }

  @Test
  void aChangeOfTheSameLengthAndAgeIsSeen() throws IOException {
    FileTime age = Files.getLastModifiedTime(file);
    Files.writeString(file, Files.readString(file).replace("60/1m", "59/1m"));
    Files.setLastModifiedTime(file, age);
    settle();
    assertEquals(Limits.parse("59/1m"), limit("mail"));
  }

  // ---- when it looks

  @Test
  void looksOncePerPeriod() throws IOException {
    write("sms = 3/1s");
    look();
    time.advance(PERIOD.minusNanos(1));
    assertEquals(List.of(), reloads);
    time.advanceNanos(1);
    assertEquals(1, reloads.size());
  }

  @Test
  void looksNoMoreOnceClosed() throws IOException {
    limiters.close();
    assertEquals(0, time.pending());
    assertThrows(LimiterClosedException.class, () -> limiters.get("sms").tryAcquire());
    write("sms = 3/1s", "calls = 1/1s");
    limiters.check();
    limiters.check();
    assertEquals(List.of(), reloads);
    assertEquals(List.of(), problems);
    assertEquals(Set.of("sms", "mail"), limiters.names());
    assertThrows(IllegalStateException.class, limiters::reload);
  }

  @Test
  void aListenerMayClose() throws IOException {
    limiters.close();
    limiters =
        watch(
            new ReloadListener() {
              @Override
              public void onReload(Path path, Reload reload) {
                limiters.close();
              }
            });
    write("sms = 3/1s");
    settle();
    assertEquals(0, time.pending());
  }

  @Test
  void aListenerThatFailsHarmsNoOther() throws IOException {
    limiters.close();
    limiters =
        watch(
            new ReloadListener() {
              @Override
              public void onReload(Path path, Reload reload) {
                throw new AssertionError("on purpose");
              }
            });
    write("sms = 3/1s");
    settle();
    write("sms = 4/1s");
    settle();
    assertEquals(Limits.parse("4/1s"), limit("sms"));
    write("sms = 5/1s");
    assertEquals(changed("sms").changed(), limiters.reload().changed());
  }

  @Test
  void anExecutorThatRefusesIsAskedAgain() throws IOException {
    limiters.close();
    var refusals = new int[] {3};
    limiters =
        Limiters.watch(
            file,
            listener,
            time,
            task -> {
              if (refusals[0]-- > 0) {
                throw new RejectedExecutionException("on purpose");
              }
              task.run();
            },
            PERIOD);
    write("sms = 3/1s");
    for (int i = 0; i < 5; i++) {
      look();
    }
    assertEquals(Limits.parse("3/1s"), limit("sms"));
  }

  // ---- by hand

  @Test
  void reloadTakesInTheFileAtOnce() throws IOException {
    write("sms = 3/1s", "calls = 1/1s");
    var expected = new Reloaded(List.of("sms"), List.of("calls"), List.of("mail"));
    assertEquals(expected, limiters.reload());
    assertEquals(Limits.parse("3/1s"), limit("sms"));
    settle();
    assertEquals(List.of(expected), reloads);
    assertTrue(limiters.reload().isEmpty());
  }

  @Test
  void reloadFailsWithWhatIsWrong() throws IOException {
    write("mail = 1/1s", "sms = ten");
    var wrong = assertThrows(IllegalArgumentException.class, limiters::reload);
    assertTrue(wrong.toString().contains(": " + file + ": sms: "), wrong::toString);
    assertEquals(Limits.parse("60/1m"), limit("mail"));
    Files.delete(file);
    assertThrows(NoSuchFileException.class, limiters::reload);
  }

  @Test
  void aFileCanBeReadWithoutBeingFollowed() throws IOException {
    try (Limiters once = Limiters.from(file)) {
      write("mail = 1/1s");
      settle();
      assertEquals(Limits.parse("60/1m"), once.get("mail").limit());
      once.reload();
      assertEquals(Limits.parse("1/1s"), once.get("mail").limit());
    }
  }

  @Test
  void limitsFromNoFileCannotBeReloaded() {
    try (Limiters fixed = Limiters.from(Map.of("sms", "1/1s"))) {
      assertThrows(IllegalStateException.class, fixed::reload);
    }
  }

  @Test
  void aFileThatIsWrongOrAwayAtTheStartIsAFailure() throws IOException {
    write("sms = ten");
    assertThrows(IllegalArgumentException.class, () -> Limiters.watch(file));
    Files.delete(file);
    assertThrows(NoSuchFileException.class, () -> Limiters.watch(file));
  }

  // ---- in real time

  @Test
  void followsAFileInRealTime() throws Exception {
    BlockingQueue<Reload> told = new ArrayBlockingQueue<>(10);
    var real =
        new ReloadListener() {
          @Override
          public void onReload(Path path, Reload reload) {
            told.add(reload);
          }
        };
    try (Limiters following = Limiters.watch(file, real)) {
      CompletableFuture<Permit> waiting;
      try (Permit held = following.get("sms").acquire(1);
          Permit other = following.get("sms").acquire(1)) {
        waiting = following.get("sms").acquireAsync();
        write("sms = unlimited");
        assertEquals(
            new Reloaded(List.of("sms"), List.of(), List.of("mail")),
            told.poll(30, TimeUnit.SECONDS));
        waiting.get(30, TimeUnit.SECONDS).answered();
      }
    }
  }

  @Test
  void limitersComeByNameFromConfiguration() {
    var properties = new Properties();
    properties.setProperty("sms", "10/1s & concurrent(2)");
    try (Limiters limiters = Limiters.from(properties)) {
      assertEquals("sms", limiters.get("sms").name());
      assertEquals(Limits.parse("10/1s & concurrent(2)"), limiters.get("sms").limit());
      var unknown = assertThrows(IllegalArgumentException.class, () -> limiters.get("smss"));
      assertEquals("there is no limiter \"smss\", only [sms]", unknown.getMessage());
    }
    var wrong =
        assertThrows(IllegalArgumentException.class, () -> Limiters.from(Map.of("x", "10")));
    assertTrue(wrong.toString().contains("x: \"10\", column 3: expected"), wrong::toString);
  }
}
