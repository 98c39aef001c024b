package dev.pacegate.redis;

import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets so many entries be under way on a connection at once; the others wait in lines, each in
 * order. Lines take turns, so the many keys of one limit do not hold up another limit.
 *
 * <p>Entries of a line of keys share calls: while no call of it is under way, the next is made as
 * soon as an entry waits; then once 2 wait, 8, and {@link #MOST_IN_A_CALL}. So a single entry waits
 * for nothing, and many make few calls.
 *
 * <p>Entries that only report are waited for by no request. They go with calls that are made
 * anyway, as many as there are requests in these, for which half of a full call is theirs; and by
 * themselves while no other call of their line is under way. So they keep pace with requests, and a
 * request stands behind few of them. Once a whole window of requests went while reports waited, a
 * call of reports goes first: so those of other lines move on as well.
 *
 * <p>An entry is under way until the connection is rid of it: so the connection keeps a few,
 * however many keys there are. Of a slow server they are fewer: as many as it answers in half the
 * time after which a call is late. Otherwise what each grants would be over when it comes, and be
 * asked for again: the server would do nothing but work in vain.
 *
 * <p>Thread-safe.
 *
 * @param <E> what waits
 */
final class CallWindow<E> {

  /** So many keep a server busy for some 10 ms, and are answered well within a second. */
  static final int MOST = 256;

  /** More would save little, and hold up others for longer. */
  static final int MOST_IN_A_CALL = 32;

  /** Reports that go by themselves have this part of the window. */
  private static final int PART_OF_REPORTS = 4;

  /** Of the window: so it is twice as large after some six seconds. */
  private static final int PART_TO_GROW_BY = 8;

  /**
   * What shares calls: a script works on one record, for keys of one source.
   *
   * @param source of keys; null if each entry goes by itself
   */
  record CallLine(String record, @Nullable Object source) {
    int most() {
      return source == null ? 1 : MOST_IN_A_CALL;
    }
  }

  /** Entries whose turn has come, of one line: {@link #over} follows, once. */
  static final class CallBatch<E> {
    private final SourceLine<E> line;
    private final List<E> entries;
    private final boolean reports; // alone
    private boolean made; // guarded by the window

    private CallBatch(SourceLine<E> line, List<E> entries, boolean reports) {
      this.line = line;
      this.entries = entries;
      this.reports = reports;
    }

    CallLine line() {
      return line.name;
    }

    /** Returns the entries, in order. */
    List<E> entries() {
      return entries;
    }
  }

  /** Entries of one name, or of one source of keys. */
  private static final class SourceLine<E> {
    final CallLine name;
    final Deque<E> requests = new ArrayDeque<>();
    final Set<E> reports = new LinkedHashSet<>();
    int calls; // under way, with requests
    int reportCalls; // under way

    SourceLine(CallLine name) {
      this.name = name;
    }

    boolean isIdle() {
      return calls == 0 && reportCalls == 0 && requests.isEmpty() && reports.isEmpty();
    }

    /** Returns how many requests go in the next call, if there is room for so many; 0 if none. */
    int nextRequests(int most, int room) {
      int full = Math.min(name.most(), most);
      int next = Math.min(requests.size(), full);
      if (calls == 0) {
        return Math.min(next, room);
      }
      int least = Math.min(full, 1 << Math.min(2 * calls - 1, Integer.SIZE - 2));
      return next >= least && next <= room ? next : 0;
    }

    /** Returns how many reports go in a call of their own. */
    int nextReports(int most, int room) {
      int full = Math.min(name.most(), most);
      int next = Math.min(reports.size(), full);
      if (calls > 0) {
        return 0;
      }
      if (reportCalls == 0) {
        return Math.min(next, room);
      }
      return next == full && next <= room ? next : 0;
    }
  }

  private final Time time;
  private final long late; // nanoseconds
  private final Consumer<CallBatch<E>> maker;
  private final Map<CallLine, SourceLine<E>> lines =
      new HashMap<>(); // guarded by this, as what follows
  private final Set<SourceLine<E>> turns = new LinkedHashSet<>(); // lines in which requests wait
  private final Set<SourceLine<E>> turnsOfReports = new LinkedHashSet<>();
  private int underWay;
  private int reportsUnderWay; // in calls of their own
  private int passed; // requests that went before reports, of which a call takes its multiple back
  private int most = MOST;
  private long shrunkAt; // when there were too many last
  private long steadySince; // since when it neither shrank nor grew slowly
  private long strictest; // of the times after which calls were late lately
  private long strictestAt;

  /**
   * Creates a window.
   *
   * @param late after that any call is late
   * @param maker makes calls
   */
  CallWindow(Time time, Duration late, Consumer<CallBatch<E>> maker) {
    this.time = time;
    this.late = late.toNanos();
    this.maker = maker;
    this.shrunkAt = time.nanoTime();
    this.steadySince = shrunkAt;
    this.strictest = this.late;
    this.strictestAt = shrunkAt;
  }

  /** Makes a call of a request when its turn comes: at once if not too many are under way. */
  void add(CallLine name, E request) {
    synchronized (this) {
      SourceLine<E> line = line(name);
      line.requests.add(request);
      turns.add(line);
    }
    makeAll();
  }

  /** Makes a call of a report for which no request waits, after those for which one does. */
  void addReport(CallLine name, E report) {
    synchronized (this) {
      SourceLine<E> line = line(name);
      line.reports.add(report);
      turnsOfReports.add(line);
    }
    makeAll();
  }

  /** A request waits for this report now. Does nothing if its turn has come. */
  void hurry(CallLine name, E report) {
    synchronized (this) {
      SourceLine<E> line = lines.get(name);
      if (line == null || !line.reports.remove(report)) {
        return;
      }
      if (line.reports.isEmpty()) {
        turnsOfReports.remove(line);
      }
      line.requests.add(report);
      turns.add(line);
    }
    makeAll();
  }

  private SourceLine<E> line(CallLine name) {
    return lines.computeIfAbsent(name, SourceLine::new);
  }

  /**
   * A call is not under way any more.
   *
   * @param took how many nanoseconds
   * @param useful within how many its reply was of use
   */
  void over(CallBatch<E> batch, long took, long useful) {
    boolean isMade;
    synchronized (this) {
      int entries = batch.entries.size();
      underWay -= entries;
      SourceLine<E> line = batch.line;
      if (batch.reports) {
        line.reportCalls--;
        reportsUnderWay -= entries;
      } else {
        line.calls--;
      }
      if (line.isIdle()) {
        lines.remove(line.name);
      }
      adapt(entries, took, Math.min(useful, late), time.nanoTime());
      isMade = batch.made;
    }
    if (isMade) { // else the thread that makes it goes on with the next
      makeAll();
    }
  }

  // Those that are answered late were made before it shrank: they tell nothing new for a while. As
  // all go through one connection, the limit with the strictest time decides for all. If that is
  // less than a second, one full call remains: what takes that long for so few is not the line. So
  // up to a full call it grows by the second as well, else it would never be back.
  private void adapt(int entries, long took, long useful, long now) {
    if (useful <= strictest || now - strictestAt >= late) {
      strictest = useful;
      strictestAt = now;
    }
    boolean isSmall = most < MOST_IN_A_CALL;
    if (took < (isSmall ? late : strictest) / 2) {
      most = Math.min(most + entries, isSmall ? MOST_IN_A_CALL : MOST);
    } else if (took < strictest) {
      growSlowly(now);
    } else if (now - shrunkAt >= strictest) {
      int least = took >= late ? 1 : Math.min(most, MOST_IN_A_CALL);
      most = Math.max(least, most / 2);
      shrunkAt = now;
      steadySince = now;
    }
  }

  // In time, but not by far: of a busy server the window is about right, and a server that is far
  // away takes as long for any number. What is a little more tells which it is.
  private void growSlowly(long now) {
    if (now - steadySince >= late) {
      most = Math.min(most + Math.max(1, most / PART_TO_GROW_BY), MOST);
      steadySince = now;
    }
  }

  // A call that fails at once leads to the next: in this loop, and not further up the stack.
  private void makeAll() {
    for (CallBatch<E> next = next(null); next != null; next = next(next)) {
      maker.accept(next);
    }
  }

  /**
   * Takes the first whose turn has come, which are under way then; null if there are none.
   *
   * @param before what was made before, by the same thread
   */
  private synchronized @Nullable CallBatch<E> next(@Nullable CallBatch<E> before) {
    if (before != null) {
      before.made = true;
    }
    int room = most - underWay;
    if (room <= 0) {
      return null;
    }
    CallBatch<E> reports = passed >= most ? nextOfReports(room) : null;
    if (reports != null) {
      return reports;
    }
    for (SourceLine<E> line : turns) {
      int requests = line.nextRequests(most, room);
      if (requests > 0) {
        return takeRequests(line, requests, room);
      }
    }
    return nextOfReports(room);
  }

  private @Nullable CallBatch<E> nextOfReports(int room) {
    int part = Math.max(1, most / PART_OF_REPORTS);
    int roomOfReports = Math.min(room, part - reportsUnderWay);
    for (SourceLine<E> line : turnsOfReports) {
      int reports = line.nextReports(part, roomOfReports);
      if (reports > 0) {
        return takeReports(line, reports);
      }
    }
    return null;
  }

  // Each request may lead to a report: if fewer went along, ever more would wait.
  private CallBatch<E> takeRequests(SourceLine<E> line, int most, int room) {
    int full = Math.min(room, line.name.most());
    int requests = Math.min(most, full - Math.min(line.reports.size(), full / 2));
    var taken = new ArrayList<E>();
    for (int i = 0; i < requests; i++) {
      taken.add(line.requests.remove());
    }
    moveReports(line, Math.min(requests, full - requests), taken);
    passed = turnsOfReports.isEmpty() ? 0 : Math.min(MOST, passed + requests);
    pass(turns, line, line.requests.isEmpty());
    line.calls++;
    underWay += taken.size();
    return new CallBatch<>(line, taken, false);
  }

  private CallBatch<E> takeReports(SourceLine<E> line, int reports) {
    var taken = new ArrayList<E>();
    moveReports(line, reports, taken);
    passed = Math.max(0, passed - PART_OF_REPORTS * reports);
    line.reportCalls++;
    underWay += reports;
    reportsUnderWay += reports;
    return new CallBatch<>(line, taken, true);
  }

  private void moveReports(SourceLine<E> line, int most, List<E> to) {
    Iterator<E> each = line.reports.iterator();
    for (int i = 0; i < most && each.hasNext(); i++) {
      to.add(each.next());
      each.remove();
    }
    pass(turnsOfReports, line, line.reports.isEmpty());
  }

  // Behind the others.
  private static <T> void pass(Set<T> turns, T line, boolean isEmpty) {
    if (turns.remove(line) && !isEmpty) {
      turns.add(line);
    }
  }
}
