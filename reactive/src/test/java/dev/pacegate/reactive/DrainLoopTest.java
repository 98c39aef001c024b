package dev.pacegate.reactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DrainLoopTest {

  @Test
  void turnsNeverOverlapAndMissNothing() {
    var told = new AtomicLong();
    var inside = new AtomicInteger();
    var most = new AtomicInteger();
    var turns =
        new DrainLoop() {
          long seen; // plain: turns see what turns have written
          long count;

          @Override
          void turn() {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            seen = told.get();
            if (++count % 3 == 0) {
              stir();
            }
            inside.decrementAndGet();
          }

          @Override
          void abandon() {}
        };
    for (int round = 0; round < 200; round++) {
      var threads = new ArrayList<CompletableFuture<Void>>();
      for (int thread = 0; thread < 4; thread++) {
        threads.add(
            CompletableFuture.runAsync(
                () -> {
                  for (int i = 0; i < 500; i++) {
                    told.incrementAndGet();
                    turns.stir();
                  }
                }));
      }
      threads.forEach(CompletableFuture::join);
      assertEquals(told.get(), turns.seen, "round " + round);
    }
    assertEquals(1, most.get());
  }

  @Test
  void aTurnThatThrowsIsFollowedByOthers() {
    var seen = new ArrayList<String>();
    var mine = new IllegalStateException("on purpose");
    var turns =
        new DrainLoop() {
          @Override
          void turn() {
            seen.add("turn");
            if (seen.size() == 1) {
              throw mine;
            }
          }

          @Override
          void abandon() {
            seen.add("abandon");
          }
        };
    assertSame(mine, assertThrows(IllegalStateException.class, turns::stir));
    turns.stir();
    assertEquals(List.of("turn", "abandon", "turn", "turn"), seen);
  }
}
