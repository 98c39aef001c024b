package dev.pacegate.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Audit;
import dev.pacegate.audit.Verdict;
import dev.pacegate.history.ChangedMeter;
import dev.pacegate.history.OpenRequest;
import dev.pacegate.history.Takeover;
import dev.pacegate.limit.Aligned;
import dev.pacegate.limit.All;
import dev.pacegate.limit.Concurrent;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Peer;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.Shape;
import dev.pacegate.limit.spi.Meter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * Processes that live one after another on one machine with one state file, and beside them a twin:
 * a meter that has seen everything and was never interrupted. Instants are those of a clock that no
 * process has.
 */
final class Lives implements AutoCloseable {

  /** A request, and until when a peer may count it. */
  static final class Request {
    final long start;
    Cost cost;
    long closed = Long.MAX_VALUE;
    long end = Long.MAX_VALUE;
    boolean counts = true;

    Request(long start, Cost cost) {
      this.start = start;
      this.cost = cost;
    }

    @Override
    public String toString() {
      return cost + "@" + start + ".." + end;
    }
  }

  private static final long START_OF_WALL = 1_700_000_000L * 1_000_000_000;

  final List<Request> requests = new ArrayList<>();
  final List<Request> open = new ArrayList<>();
  FileSize size; // that the next process asks for
  private Path path;
  private final StateFile.Mapping mapping;
  private int crashes;
  private boolean over;
  Limit limit;
  Meter twin;
  Meter meter;
  long now;
  private SavedState state;
  private long monotonic; // the clock of the machine is 0 at this instant
  private long origin; // of the limiter
  private long wallError;
  private UUID boot = new UUID(1, 1);

  Lives(Limit limit, Path folder, FileSize size) throws IOException {
    this(limit, folder, size, MappedMemory::new);
  }

  Lives(Limit limit, Path folder, FileSize size, StateFile.Mapping mapping) throws IOException {
    this.mapping = mapping;
    this.limit = limit;
    this.size = size;
    this.path = Files.createTempDirectory(folder, "lives").resolve("state");
    this.twin = limit.newMeter(0, this::timeOfDay);
    this.monotonic = -17;
    begin();
  }

  /** The peer's, by which everybody counts. */
  Instant timeOfDay() {
    return Instant.ofEpochSecond(0, now);
  }

  private BootClock machine() {
    return new BootClock(new Wall(), boot);
  }

  private final class Wall extends Clock {
    @Override
    public Instant instant() {
      return Instant.ofEpochSecond(0, START_OF_WALL + now + wallError);
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }

  void begin() {
    try {
      state =
          SavedState.open(path, limit, machine(), now - monotonic, this::timeOfDay, size, mapping);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    over = false;
    origin = now;
    meter = state.meter();
    assertTrue(open.isEmpty() || !twin.tracks());
  }

  /** The process is killed. */
  void crash() {
    over = true;
    Path left = path;
    path = path.resolveSibling("state" + crashes++);
    try {
      Files.copy(left, path, StandardCopyOption.REPLACE_EXISTING);
      state.close();
      Files.delete(left);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The process ends in order. */
  void end() {
    over = true;
    state.retire(now - origin);
    try {
      state.close(now - origin);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isOver() {
    return over;
  }

  void reboot(SplittableRandom random) {
    boot = new UUID(random.nextLong(), 1);
    monotonic = now - random.nextLong(1000);
  }

  void setWallBack(long nanos) {
    wallError -= nanos;
  }

  void setWall(SplittableRandom random) {
    wallError = random.nextLong(-1L << 55, 1L << 55);
  }

  Path path() {
    return path;
  }

  /** To the twin, all that was open was lost as of now. */
  void loseOpen() {
    for (Request request : open) {
      twin.end(request.start, now, request.cost, Outcome.LOST);
      request.closed = now;
      request.end = Math.max(now, request.start + patience(limit));
    }
    open.clear();
  }

  /** Returns how long a request would wait if the next process found {@code left}. */
  long waitAfter(byte[] left, Cost cost) throws IOException {
    Path other = path.resolveSibling("other");
    Files.write(other, left);
    try (var next =
        SavedState.open(other, limit, machine(), now - monotonic, this::timeOfDay, size, mapping)) {
      return next.meter().nanosUntil(0, 0, cost);
    }
  }

  // ---- requests

  long ask(long since, Cost cost) {
    return meter.nanosUntil(since - origin, now - origin, cost);
  }

  Request release(long since, Cost cost) {
    meter.release(since - origin, now - origin, cost);
    twin.release(since, now, cost);
    var request = new Request(now, cost);
    requests.add(request);
    if (meter.tracks()) {
      open.add(request);
    } else {
      request.end = now;
      request.closed = now;
    }
    return request;
  }

  void end(Request request, Outcome end) {
    meter.end(request.start - origin, now - origin, request.cost, end);
    open.remove(request);
    twin.end(request.start, now, request.cost, end);
    request.closed = now;
    request.counts = end != Outcome.NOT_SENT;
    request.end = end == Outcome.LOST ? Math.max(now, request.start + patience(limit)) : now;
  }

  void settle(Request request, Cost actual) {
    meter.settle(request.start - origin, now - origin, request.cost, actual);
    twin.settle(request.start, now, request.cost, actual);
    request.cost = actual;
  }

  void startLate(Cost cost) {
    meter.startsLate(now - origin, cost);
    twin.startsLate(now, cost);
  }

  /** As a limiter does it. */
  void change(Limit next) {
    Limit before = limit;
    limit = next;
    long at = now - origin;
    if (next.equals(before)) {
      return;
    }
    Meter successor =
        state.successor(
            new Takeover(before, meter, 0, next, at, this::timeOfDay, openSince(origin)));
    twin = ChangedMeter.of(new Takeover(before, twin, 0, next, now, this::timeOfDay, openSince(0)));
    state.install(successor, at);
    meter = successor;
  }

  private List<OpenRequest> openSince(long origin) {
    return open.stream().map(r -> new OpenRequest(r.start - origin, r.cost)).toList();
  }

  /** The next process has another limit. */
  void beginWith(Limit next) {
    if (!next.equals(limit)) {
      twin = ChangedMeter.of(new Takeover(limit, twin, 0, next, now, this::timeOfDay, List.of()));
      limit = next;
    }
    begin();
  }

  /** Plays at random; whatever may go, goes. */
  void play(SplittableRandom random, int steps) {
    var shape = new Shape(limit);
    for (int i = 0; i < steps; i++) {
      now += Math.min(shape.gap(random), 1L << 52);
      while (!open.isEmpty() && random.nextInt(5) < 2) {
        int kind = random.nextInt(8);
        end(
            open.get(random.nextInt(open.size())),
            kind == 0 ? Outcome.NOT_SENT : kind == 1 ? Outcome.LOST : Outcome.ANSWERED);
      }
      Cost cost = random.nextInt(3) == 0 ? shape.cost(random) : shape.fitting(random);
      long since = now;
      long wait = ask(since, cost);
      if (wait > 0 && wait < 1L << 50 && random.nextInt(3) > 0) {
        now += wait;
        wait = ask(since, cost);
      }
      for (int more = random.nextInt(4); wait == 0 && more >= 0; more--) {
        release(since, cost);
        wait = ask(since, cost);
      }
    }
  }

  // ---- judging

  /** Both say the same, whatever they are asked. */
  void compare(SplittableRandom random) {
    var shape = new Shape(limit);
    for (int i = 0; i < 12; i++) {
      now += Math.min(shape.gap(random), 1L << 52);
      Cost cost = shape.cost(random);
      Cost ahead = shape.fitting(random);
      long mine = now - origin;
      assertEquals(twin.nanosUntil(now, now, cost), meter.nanosUntil(mine, mine, cost));
      assertEquals(twin.atLeast(now, now, ahead, cost), meter.atLeast(mine, mine, ahead, cost));
      assertEquals(twin.restsIn(now), meter.restsIn(mine));
    }
  }

  void audit() {
    requests.sort(Comparator.comparingLong(request -> request.start));
    for (Promise promise : limit.promises()) {
      var audit = Audit.of(List.of(promise));
      boolean whole = promise.countsWhole() && promise.length() > 0;
      for (Request request : requests) {
        if (request.counts || !whole) {
          long end = whole ? request.end : request.closed;
          audit.add(request.start, Math.min(Math.max(now, request.start), end), request.cost);
        }
      }
      Verdict verdict = audit.verdict();
      assertTrue(verdict.kept(), () -> verdict.text() + ": " + requests);
    }
  }

  static long patience(Limit limit) {
    if (limit instanceof All all) {
      return all.terms().stream().mapToLong(Lives::patience).max().orElse(0);
    }
    if (limit instanceof Aligned aligned) {
      return aligned.unansweredNanos();
    }
    if (limit instanceof Concurrent concurrent) {
      return concurrent.unansweredNanos();
    }
    return limit instanceof Peer peer ? peer.unansweredNanos() : 0;
  }

  @Override
  public void close() throws IOException {
    state.close();
    Files.deleteIfExists(path);
  }
}
