package dev.pacegate.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReorderTest {

  private record Request(long start, long end, Cost cost) {}

  private final List<Request> passed = new ArrayList<>();
  private final Reorder reorder =
      new Reorder(50, (start, end, cost) -> passed.add(new Request(start, end, cost)));

  @Test
  void passesOnWhatNothingCanPrecedeAnyMore() {
    add(100);
    add(149);
    add(101);
    assertEquals(List.of(), starts());
    add(150);
    assertEquals(List.of(100L), starts());
    add(100);
    assertEquals(List.of(100L, 100L), starts());
    add(500);
    assertEquals(List.of(100L, 100L, 101L, 149L, 150L), starts());
    reorder.flush();
    assertEquals(List.of(100L, 100L, 101L, 149L, 150L, 500L), starts());
  }

  @Test
  void refusesWhatComesTooLateAndGoesOn() {
    add(100);
    var refusal = assertThrows(OutOfOrderException.class, () -> add(49));
    assertEquals("49 is earlier than 100 by more than 50ns", refusal.getMessage());
    assertEquals(49, refusal.instant());
    assertEquals(50, refusal.earliest());
    add(50);
    reorder.flush();
    assertEquals(List.of(50L, 100L), starts());
  }

  @Test
  void refusesAnEndBeforeItsStart() {
    var refusal = assertThrows(OutOfOrderException.class, () -> reorder.add(10, 9, Cost.ONE));
    assertEquals(9, refusal.instant());
    assertEquals(10, refusal.earliest());
    add(-100);
    reorder.flush();
    assertEquals(List.of(-100L), starts());
  }

  @Test
  void refusesANegativeSpan() {
    assertThrows(IllegalArgumentException.class, () -> new Reorder(-1, (start, end, cost) -> {}));
  }

  @Test
  void sortsWithoutChangingTheOrderOfEquals() {
    for (int seed = 0; seed < 500; seed++) {
      for (long origin : Log.ORIGINS) {
        sorts(new Random(seed), origin, "seed " + seed);
      }
    }
  }

  private static void sorts(Random random, long origin, String name) {
    var given = new ArrayList<Request>();
    var passed = new ArrayList<Request>();
    var reorder = new Reorder(50, (start, end, cost) -> passed.add(new Request(start, end, cost)));
    long now = 0;
    for (int i = 0; i < 100; i++) {
      now += random.nextInt(20);
      long start = origin + Math.max(0, now - random.nextInt(51));
      var request = new Request(start, start + random.nextInt(9), Cost.of(i));
      given.add(request);
      reorder.add(request.start, request.end, request.cost);
    }
    reorder.flush();
    given.sort(Comparator.comparing(request -> request.start - origin));
    assertEquals(given, passed, name);
  }

  @Test
  void feedsAnAudit() {
    var audit = Audit.of(Limits.parse("2/1us"));
    var inOrder = new Reorder(1000, audit::add);
    for (long start : new long[] {700, 0, 1650, 1100, 2800}) {
      inOrder.add(start, start, Cost.ONE);
    }
    inOrder.flush();
    assertEquals(new Stretch(3, 700, 1650), audit.verdict().where());
  }

  private void add(long start) {
    reorder.add(start, start, Cost.ONE);
  }

  private List<Long> starts() {
    return passed.stream().map(Request::start).toList();
  }
}
