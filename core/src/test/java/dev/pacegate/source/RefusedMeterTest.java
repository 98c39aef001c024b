package dev.pacegate.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.spi.FedMeter;
import dev.pacegate.limit.spi.MeterSource;
import dev.pacegate.permit.Heard;
import dev.pacegate.source.HandFedSource.HandFedMeter;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A new key's meter that does not count what its limit promises. It is made outside the gate. */
@Timeout(30)
class RefusedMeterTest {

  private final HandFedSource source = new HandFedSource();
  private final Limiter all = Limiter.builder("10/1s").source(source).build();
  private final HandFedMeter whole = source.meter();
  private final KeyedLimiter<String> keyed =
      KeyedLimiter.builder("10/1s").within(all).source(new Misled()).build();
  private @Nullable RuntimeException fails; // when that meter is asked for an errand

  /** Takes the limit of one key for another. */
  private final class Misled implements MeterSource {
    @Override
    public void check(Limit limit) {}

    @Override
    public FedMeter newMeter(MeterContext asked) {
      boolean isBad = asked.key().orElseThrow().equals("bad");
      FedMeter made = source.newMeter(isBad ? ofTokens(asked) : asked);
      source.last().fails = isBad ? fails : null;
      return made;
    }

    private MeterContext ofTokens(MeterContext asked) {
      return new MeterContext(
          Limits.parse("10/1s of tokens"),
          asked.key(),
          asked.now(),
          asked.timeOfDay(),
          asked.sink(),
          asked.all());
    }
  }

  private void refuse() {
    assertThrows(IllegalArgumentException.class, () -> keyed.tryAcquire("bad"));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void theThreadThatIsInsideMeanwhileIsNotDisturbed() {
    source.leasedAtFirst = 1;
    whole.leased = 1;
    var isInside = new CountDownLatch(1);
    var isRefused = new CountDownLatch(1);
    whole.whenAsked =
        () -> {
          isInside.countDown();
          await(isRefused);
        };
    CompletableFuture<Optional<Permit>> good =
        CompletableFuture.supplyAsync(() -> keyed.tryAcquire("good"));
    await(isInside);
    refuse();
    isRefused.countDown();
    assertTrue(good.join().isPresent());
  }

  @Test
  void itsErrandIsRunOnce() {
    var errands = new CountDownLatch(1);
    source.firstErrand = errands::countDown;
    refuse();
    await(errands);
    assertEquals("[retire", source.last().heard.toString().split("@", 2)[0]);
    assertEquals(1, source.last().heard.size());
    assertTrue(keyed.tryAcquire("good").isEmpty());
    assertEquals(1, source.meters.get(1).wanted.size());
  }

  @Test
  void itsFailureIsLoggedAndIsNotThatOfTheCaller() {
    fails = new IllegalStateException("thrown by a test");
    try (var heard = new Heard()) {
      refuse();
      assertEquals(1, heard.lines("its source of permits").size(), heard.lines::toString);
    }
  }
}
