package dev.pacegate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.time.ManualTime;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a recording of JDK Flight Recorder has of limiters. */
@Tag("jdk")
class FlightTest {

  /** What is recorded unless a recording says otherwise. */
  private static final Duration LONG = Duration.ofMillis(20);

  @TempDir Path folder;

  @Test
  void waitsOfThreadsOverTheThresholdAreRecorded() throws Exception {
    List<RecordedEvent> waits =
        record(
            "Wait",
            () -> {
              Limiter api = named("1/200ms");
              api.acquire().answered();
              api.acquire().answered();
              Limiter quick = Limiter.builder("1/1ms").name("quick").build();
              for (int i = 0; i < 20; i++) {
                quick.acquire().answered();
              }
              return api;
            });
    assertEquals(1, of("api", waits).size(), waits::toString);
    assertTrue(of("quick", waits).stream().allMatch(FlightTest::isLong), waits::toString);
    RecordedEvent wait = of("api", waits).get(0);
    assertEquals(1, wait.getLong("cost"));
    assertTrue(wait.getBoolean("granted"));
    assertTrue(isLong(wait), () -> wait.getDuration().toString());
    assertEquals(Thread.currentThread().getName(), wait.getThread().getJavaName());
  }

  @Test
  void waitsOfFuturesAreRecorded() throws Exception {
    List<RecordedEvent> waits =
        record(
            "Wait",
            () -> {
              Limiter api = named("1/200ms");
              api.acquire().answered();
              api.acquireAsync().get(10, TimeUnit.SECONDS).answered();
              return api;
            });
    assertEquals(List.of(true), waits.stream().map(e -> e.getBoolean("granted")).toList());
    assertTrue(isLong(waits.get(0)));
  }

  @Test
  void waitsThatEndWithoutAPermitAreRecorded() throws Exception {
    List<RecordedEvent> waits =
        record(
            "Wait",
            () -> {
              Limiter api = named("concurrent(1)");
              try (Permit held = api.acquire()) {
                assertTrue(api.tryAcquire(Duration.ofMillis(50)).isEmpty());
                held.answered();
              }
              return api;
            });
    assertEquals(List.of(false), waits.stream().map(e -> e.getBoolean("granted")).toList());
  }

  @Test
  void pausesAreRecordedWithTheirReason() throws Exception {
    List<RecordedEvent> pauses =
        record(
            "Pause",
            () -> {
              Limiter api = named("peer(10/1m)");
              api.pause();
              api.resume();
              api.pauseFor(Duration.ofSeconds(2));
              api.peerRefused(Duration.ofSeconds(3));
              return api;
            });
    assertEquals(
        List.of("program", "program", "the peer refused a request"),
        pauses.stream().map(e -> e.getString("reason")).toList());
    assertEquals(
        List.of(Long.MAX_VALUE, 2_000_000_000L, 3_000_000_000L),
        pauses.stream().map(e -> e.getLong("length")).toList());
  }

  @Test
  void lostPermitsAreRecordedAndCounted() throws Exception {
    var time = ManualTime.manual();
    Limiter api = Limiter.builder("peer(10/1m)").name("api").time(time).build();
    List<RecordedEvent> lost =
        record(
            "Lost",
            () -> {
              api.acquire().answered();
              Permit unknown = api.acquire(3);
              time.advance(Duration.ofSeconds(5));
              unknown.close();
              unknown.close();
              api.acquire().notSent();
              return api;
            });
    assertEquals(1, lost.size(), lost::toString);
    assertEquals(3, lost.get(0).getLong("cost"));
    assertEquals(Duration.ofSeconds(5), lost.get(0).getDuration("open"));
    assertFalse(lost.get(0).getBoolean("abandoned"));
    assertEquals(1, api.snapshot().lost());
  }

  @Test
  void permitsThatTheProgramNeverEndsAreLost() throws Exception {
    var time = ManualTime.manual();
    Limiter api =
        Limiter.builder("peer(1/1s, abandon=1m, unanswered=1s)").name("api").time(time).build();
    List<RecordedEvent> lost =
        record(
            "Lost",
            () -> {
              Permit never = api.acquire();
              time.advance(Duration.ofMinutes(2));
              assertEquals(0, api.snapshot().open(), never::toString);
              return api;
            });
    assertEquals(List.of(true), lost.stream().map(e -> e.getBoolean("abandoned")).toList());
    assertEquals(1, api.snapshot().lost());
  }

  @Test
  void changesOfLimitsAreRecorded() throws Exception {
    List<RecordedEvent> changes =
        record(
            "Change",
            () -> {
              KeyedLimiter<String> keyed =
                  KeyedLimiter.builder("10/1m").within("100/1s").name("keyed").build();
              keyed.setLimit("20/1m");
              keyed.setLimit("20/1m");
              keyed.limiter("a").setLimit("30/1m");
              keyed.all().setLimit("200/1s");
              return keyed.all();
            });
    assertEquals(
        List.of(
            "keyed: limit of each key: 10/1m -> 20/1m",
            "keyed: limit of a key: 20/1m -> 30/1m",
            "keyed: limit: 100/1s -> 200/1s"),
        changes.stream()
            .map(
                e ->
                    "%s: %s: %s -> %s"
                        .formatted(
                            e.getString("limiter"),
                            e.getString("what"),
                            e.getString("from"),
                            e.getString("to")))
            .toList());
  }

  @Test
  void workingRatesAreRecorded() throws Exception {
    var time = ManualTime.manual();
    Limiter api = Limiter.builder("peer(100/1s)").name("api").time(time).build();
    List<RecordedEvent> changes =
        record(
            "Change",
            () -> {
              for (var verdict : List.of(PeerVerdict.REFUSED, PeerVerdict.ACCEPTED)) {
                Permit permit = api.acquire();
                api.heard(permit, PeerAnswer.of(verdict), Backoff.standard());
                permit.answered();
                time.advance(Duration.ofMinutes(1));
              }
              return api;
            });
    assertEquals(
        List.of("peer(100/1s) -> 42.5/1s", "peer(100/1s) -> peer(100/1s)"),
        changes.stream().map(e -> e.getString("from") + " -> " + e.getString("to")).toList());
  }

  /** It would be one of the engine, and cost more than the event. */
  @ParameterizedTest
  @ValueSource(strings = {"Wait", "Pause", "Lost", "Change"})
  void eventsHaveNoStackUnlessOneIsAskedFor(String event) throws Exception {
    List<RecordedEvent> events =
        record(
            event,
            () -> {
              Limiter api = named("peer(1/60ms, unanswered=0s)");
              api.acquire().answered();
              api.acquire().lost();
              api.pauseFor(Duration.ofMillis(1));
              api.setLimit("peer(2/60ms)");
              return api;
            });
    assertFalse(events.isEmpty());
    assertTrue(events.stream().allMatch(e -> e.getStackTrace() == null), events::toString);
  }

  /** On a busy machine a wait of a millisecond may be long. */
  private static boolean isLong(RecordedEvent wait) {
    return wait.getDuration().compareTo(LONG) >= 0;
  }

  private static List<RecordedEvent> of(String limiter, List<RecordedEvent> events) {
    return events.stream().filter(event -> event.getString("limiter").equals(limiter)).toList();
  }

  @Test
  void nothingIsRecordedOfEventsThatAreOff() throws Exception {
    assertEquals(
        List.of(),
        record(
            "Change",
            () -> {
              Limiter api = named("1/60ms");
              api.acquire().answered();
              api.acquire().answered();
              api.pauseFor(Duration.ZERO);
              return api;
            }));
  }

  private static Limiter named(String limit) {
    return Limiter.builder(limit).name("api").build();
  }

  /** A program without the module jdk.jfr, in which all happens that would be recorded. */
  static final class WithoutFlightRecorder {
    public static void main(String[] first) throws InterruptedException {
      Limiter api = Limiter.of("peer(2/10ms, unanswered=1ms)");
      if (first[0].equals("lost")) {
        api.acquire().lost();
      }
      for (int i = 0; i < 5; i++) {
        api.acquire().answered();
      }
      api.acquire().lost();
      api.pauseFor(Duration.ofMillis(1));
      api.setLimit("2/1ms");
      api.acquireAsync().join().answered();
      boolean there = ModuleLayer.boot().findModule("jdk.jfr").isPresent();
      System.out.println((there ? "with " : "without ") + api.snapshot().lost());
    }
  }

  @Test
  void limitersWorkInAProgramWithoutTheModule() throws Exception {
    assertEquals(List.of("without 1"), withoutFlightRecorder("wait"));
    assertEquals(List.of("without 2"), withoutFlightRecorder("lost"));
  }

  private static List<String> withoutFlightRecorder(String first) throws Exception {
    String separator = System.getProperty("path.separator");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--limit-modules=java.base",
                "-cp",
                home(Limiter.class) + separator + home(FlightTest.class),
                WithoutFlightRecorder.class.getName(),
                first)
            .redirectErrorStream(true)
            .start();
    try (var reader = process.inputReader()) {
      return reader.lines().toList();
    } finally {
      assertTrue(process.waitFor(1, TimeUnit.MINUTES));
    }
  }

  private static Path home(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  /** Returns what is recorded while {@code program} runs and only one kind of events is on. */
  private List<RecordedEvent> record(String event, Callable<Limiter> program) throws Exception {
    try (var recording = new Recording()) {
      Stream.of("Wait", "Pause", "Lost", "Change")
          .filter(other -> !other.equals(event))
          .forEach(other -> recording.disable("dev.pacegate." + other));
      recording.start();
      Snapshot after = program.call().snapshot();
      recording.stop();
      assertEquals(0, after.waiting());
      assertEquals(0, after.open());
      return read(recording);
    }
  }

  private List<RecordedEvent> read(Recording recording) throws IOException {
    Path file = folder.resolve("events.jfr");
    recording.dump(file);
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().startsWith("dev.pacegate."))
        .toList();
  }
}
