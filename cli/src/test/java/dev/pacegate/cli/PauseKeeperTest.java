package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.PeerPause;
import dev.pacegate.PeerVerdict;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pause is kept by a thread of its own, however slow the disk is. */
@Timeout(60)
class PauseKeeperTest {

  private static final Duration LONG = Duration.ofMinutes(1);

  private static final Instant NOW = Instant.parse("2026-11-28T00:00:00Z");
  private final List<Instant> written = new CopyOnWriteArrayList<>();
  private final List<String> said = new CopyOnWriteArrayList<>();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch goesOn = new CountDownLatch(1);

  private record Told(Duration length) implements PeerPause {

    @Override
    public String limiter() {
      return "api";
    }

    @Override
    public PeerVerdict verdict() {
      return PeerVerdict.REFUSED;
    }

    @Override
    public String reason() {
      return "the peer refused a request";
    }

    @Override
    public String source() {
      return "";
    }

    @Override
    public Instant until() {
      return NOW.plus(length);
    }
  }

  private void slowly(Instant end) {
    begun.countDown();
    try {
      goesOn.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    written.add(end);
  }

  private static Instant in(int seconds) {
    return NOW.plusSeconds(seconds);
  }

  private static void pause(PauseKeeper keeper, int seconds) {
    keeper.onPeerPause(new Told(Duration.ofSeconds(seconds)));
  }

  @Test
  void aSlowDiskHoldsNoAnswerUpAndTheLongestPauseIsKept() throws Exception {
    var keeper = new PauseKeeper(this::slowly, said::add, LONG);
    pause(keeper, 10);
    begun.await();
    pause(keeper, 30); // would wait here for ever on the thread that reads answers
    pause(keeper, 20);
    assertEquals(List.of(), written);
    goesOn.countDown();
    keeper.close();
    assertEquals(List.of(in(10), in(30)), written);
    assertEquals(List.of(), said);
  }

  /** Later there may be no room for one. */
  @Test
  void itsThreadIsThereFromTheStart() {
    try (var started = new PauseKeeper(written::add, said::add, LONG)) {
      assertNotNull(started);
      assertTrue(
          Thread.getAllStackTraces().keySet().stream()
              .anyMatch(thread -> thread.getName().equals("pacegate-pause")));
    }
    assertEquals(List.of(), written);
  }

  @Test
  void aDiskThatHangsHoldsNoEndUp() throws Exception {
    var keeper = new PauseKeeper(this::slowly, said::add, Duration.ofMillis(1));
    pause(keeper, 10);
    begun.await();
    keeper.close();
    assertEquals(List.of("a pause may not be kept: writing it takes too long"), said);
    pause(keeper, 20);
    assertEquals(1, said.size());
    goesOn.countDown();
  }

  @Test
  void whyAPauseCannotBeKeptIsSaidAndTheNextOneIsKept() {
    var keeper =
        new PauseKeeper(
            end -> {
              if (end.equals(in(10))) {
                throw new Failure("disk full");
              }
              written.add(end);
            },
            said::add,
            LONG);
    pause(keeper, 10);
    while (said.isEmpty()) {
      Thread.onSpinWait();
    }
    pause(keeper, 20);
    keeper.close();
    assertEquals(List.of("disk full"), said);
    assertTrue(written.contains(in(20)));
  }
}
