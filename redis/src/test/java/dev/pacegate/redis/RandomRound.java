package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.redis.CallWindow.CallBatch;
import dev.pacegate.redis.CallWindow.CallLine;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/** What waits and what is under way, as the calls tell. */
final class RandomRound {
  private static final Duration LATE = Duration.ofSeconds(1);
  private static final int PART_OF_REPORTS = CallWindow.MOST / 4;
  private static final int STEPS = 400;

  private final Random random;
  private final CallWindow<Integer> window =
      new CallWindow<>(ManualTime.manual(0), LATE, this::make);
  private final Map<CallLine, WaitingEntries> waiting = new HashMap<>();
  private final List<CallBatch<Integer>> underWay = new ArrayList<>();
  private final Set<CallBatch<Integer>> onlyReports = new HashSet<>(); // of those
  private final List<CallLine> passed = new ArrayList<>(); // with requests, since the last event
  private int next;
  private int before; // requests that went since reports had a call, while some waited

  /** Of one line. */
  private static final class WaitingEntries {
    final Deque<Integer> requests = new ArrayDeque<>();
    final Deque<Integer> reports = new ArrayDeque<>();
  }

  RandomRound(Random random) {
    this.random = random;
  }

  void run() {
    int lines = 1 + random.nextInt(6);
    int crowd = 1 + random.nextInt(100);
    int reports = random.nextInt(100);
    for (int step = 0; step < STEPS; step++) {
      if (random.nextInt(100) < 30 && !underWay.isEmpty()) {
        answer();
      } else {
        int number = random.nextInt(lines);
        var line = new CallLine("line " + number, number == 0 ? null : "source");
        for (int i = random.nextInt(crowd); i >= 0; i--) {
          add(line, random.nextInt(100) < reports);
        }
        hurry(line);
      }
      waiting.keySet().forEach(line -> assertEquals(0, requestsOfNext(line), () -> line + ""));
      waiting.keySet().forEach(line -> assertEquals(0, reportsOfNext(line), () -> line + ""));
    }
    while (!underWay.isEmpty()) {
      answer();
    }
    for (WaitingEntries each : waiting.values()) {
      assertEquals(0, each.requests.size() + each.reports.size(), "lost entries");
    }
  }

  private void add(CallLine line, boolean isReport) {
    WaitingEntries of = waiting.computeIfAbsent(line, name -> new WaitingEntries());
    passed.clear();
    if (isReport) {
      of.reports.add(next);
      window.addReport(line, next++);
    } else {
      of.requests.add(next);
      window.add(line, next++);
    }
  }

  private void hurry(CallLine line) {
    WaitingEntries of = waitingIn(line);
    if (!of.reports.isEmpty() && random.nextInt(4) == 0) {
      Integer last = of.reports.removeLast();
      of.requests.add(last);
      passed.clear();
      window.hurry(line, last);
    }
  }

  private void answer() {
    CallBatch<Integer> batch = underWay.remove(random.nextInt(underWay.size()));
    onlyReports.remove(batch);
    passed.clear();
    window.over(batch, 0, LATE.toNanos());
  }

  private void make(CallBatch<Integer> batch) {
    CallLine line = batch.line();
    WaitingEntries of = waitingIn(line);
    boolean isReports = before >= CallWindow.MOST && anyReports();
    int requests = isReports ? 0 : requestsOfNext(line);
    int size = batch.entries().size();
    if (requests > 0) {
      int full = Math.min(room(), most(line));
      requests = Math.min(requests, full - Math.min(of.reports.size(), full / 2));
      int along = Math.min(requests, full - requests);
      assertEquals(requests + Math.min(along, of.reports.size()), size, "all that fit");
      assertTrue(!passed.contains(line) || noOtherWaitsLonger(line), "its turn");
      passed.add(line);
    } else {
      if (!isReports) {
        waiting.keySet().forEach(each -> assertEquals(0, requestsOfNext(each), "requests first"));
      }
      assertEquals(reportsOfNext(line), size, "all that fit");
    }
    for (int i = 0; i < size; i++) {
      Deque<Integer> from = i < requests ? of.requests : of.reports;
      assertEquals(from.remove(), batch.entries().get(i), "in order");
    }
    underWay.add(batch);
    if (requests == 0) {
      onlyReports.add(batch);
    }
    boolean wait = waiting.values().stream().anyMatch(each -> !each.reports.isEmpty());
    if (requests > 0) {
      before = wait ? Math.min(CallWindow.MOST, before + requests) : 0;
    } else {
      before = Math.max(0, before - 4 * size);
    }
  }

  private boolean anyReports() {
    return waiting.keySet().stream().anyMatch(each -> reportsOfNext(each) > 0);
  }

  // Since the last answer: a line that comes again leaves none behind that had no turn yet.
  private boolean noOtherWaitsLonger(CallLine line) {
    return waiting.keySet().stream()
        .noneMatch(o -> !o.equals(line) && !passed.contains(o) && requestsOfNext(o) > 0);
  }

  private int requestsOfNext(CallLine line) {
    int wanted = Math.min(waitingIn(line).requests.size(), most(line));
    long calls = underWay(line).filter(batch -> !onlyReports.contains(batch)).count();
    if (calls == 0) {
      return Math.min(wanted, room());
    }
    int needed = calls == 1 ? 2 : calls == 2 ? 8 : 32;
    return wanted >= Math.min(needed, most(line)) && wanted <= room() ? wanted : 0;
  }

  private int reportsOfNext(CallLine line) {
    int wanted = Math.min(waitingIn(line).reports.size(), most(line));
    int taken =
        underWay.stream().filter(onlyReports::contains).mapToInt(b -> b.entries().size()).sum();
    int room = Math.min(room(), PART_OF_REPORTS - taken);
    if (underWay(line).findAny().isEmpty()) {
      return Math.min(wanted, room);
    }
    boolean alone = underWay(line).allMatch(onlyReports::contains);
    return alone && wanted == most(line) && wanted <= room ? wanted : 0;
  }

  private Stream<CallBatch<Integer>> underWay(CallLine line) {
    return underWay.stream().filter(batch -> batch.line().equals(line));
  }

  private WaitingEntries waitingIn(CallLine line) {
    return requireNonNull(waiting.get(line));
  }

  private static int most(CallLine line) {
    return line.source() == null ? 1 : 32;
  }

  private int room() {
    return CallWindow.MOST - underWay.stream().mapToInt(batch -> batch.entries().size()).sum();
  }
}
