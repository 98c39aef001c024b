package dev.pacegate.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.SourceUnavailableException;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.spi.FedMeter;
import dev.pacegate.limit.spi.MeterSource;
import dev.pacegate.limit.spi.NewsSink;
import dev.pacegate.source.HandFedSource.HandFedMeter;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Keys whose permits come from a source. */
class FedKeysTest {

  private static final Duration SOON = Duration.ofMillis(50);

  private final ManualTime time = ManualTime.manual();
  private final HandFedSource source = new HandFedSource();
  private final KeyedLimiter<String> keyed =
      KeyedLimiter.builder("10/1s").time(time).executor(Runnable::run).source(source).build();

  private HandFedMeter meterOf(String key) {
    List<HandFedMeter> ofKey =
        source.meters.stream()
            .filter(meter -> meter.context.key().orElseThrow().equals(key))
            .toList();
    return ofKey.get(ofKey.size() - 1);
  }

  private static int retired(HandFedMeter meter) {
    return (int) meter.heard.stream().filter(each -> each.startsWith("retire")).count();
  }

  @Test
  void eachKeyIsToldItsName() {
    assertTrue(keyed.tryAcquire("alice").isEmpty());
    assertTrue(keyed.tryAcquire("bob").isEmpty());
    assertEquals(2, source.meters.size());
    assertEquals("10/1s", meterOf("bob").context.limit().toString());
    assertEquals(1, meterOf("alice").lastWanted());
  }

  @Test
  void newsOfAKeyLetItsWaitersGoAndNoOthers() {
    var alice = keyed.acquireAsync("alice");
    var bob = keyed.acquireAsync("bob");
    meterOf("alice").feed(1);
    assertTrue(alice.isDone());
    assertFalse(bob.isDone());
    int asked = meterOf("alice").wanted.size();
    meterOf("bob").feed(1);
    assertTrue(bob.isDone());
    assertEquals(asked, meterOf("alice").wanted.size());
  }

  @Test
  void aKeyWantsWhatItsOwnWaitersWant() {
    for (int i = 0; i < 3; i++) {
      assertFalse(keyed.acquireAsync("alice").isDone());
    }
    assertFalse(keyed.acquireAsync("bob").isDone());
    assertEquals(3, meterOf("alice").lastWanted());
    assertEquals(1, meterOf("bob").lastWanted());
  }

  /** What waits for its own key needs nothing of the limit for all yet. */
  @Test
  void ofTheLimitForAllOnlyTheFirstOfEachKeyIsWantedAndNoneThatWaitsForItsKey() {
    var whole = new HandFedSource();
    Limiter all = Limiter.builder("10/1s").time(time).executor(Runnable::run).source(whole).build();
    KeyedLimiter<String> keys = KeyedLimiter.builder("1/1s").within(all).build();
    for (int i = 0; i < 3; i++) {
      assertFalse(keys.acquireAsync("alice").isDone());
    }
    assertFalse(keys.acquireAsync("bob").isDone());
    assertEquals(2, whole.meter().lastWanted());
    whole.meter().feed(2);
    assertEquals(0, whole.meter().lastWanted());
    time.advance(Duration.ofSeconds(1));
    assertEquals(1, whole.meter().lastWanted());
    whole.meter().feed(1);
    assertEquals(1, all.snapshot().waiting());
  }

  @Test
  void ofTheLimitForAllNothingIsWantedByKeysThatWaitForTheirGroup() {
    var whole = new HandFedSource();
    Limiter all = Limiter.builder("10/1s").time(time).executor(Runnable::run).source(whole).build();
    KeyedLimiter<String> teams = KeyedLimiter.builder("1/1s").within(all).build();
    KeyedLimiter<String> users =
        KeyedLimiter.builder("unlimited").within(teams, (String user) -> "red").build();
    for (String user : List.of("ann", "bob", "cid")) {
      assertFalse(users.acquireAsync(user).isDone());
    }
    whole.meter().feed(1);
    assertEquals(2, all.snapshot().waiting());
    assertEquals(0, whole.meter().lastWanted());
    time.advance(Duration.ofSeconds(1));
    assertEquals(2, whole.meter().lastWanted());
    whole.meter().feed(1);
    assertEquals(1, all.snapshot().waiting());
  }

  @Test
  void aPausedKeyWantsNothingUntilItsPauseEnds() {
    keyed.limiter("alice").pauseFor(Duration.ofSeconds(1));
    assertFalse(keyed.acquireAsync("alice").isDone());
    assertEquals(0, meterOf("alice").lastWanted());
    time.advance(Duration.ofSeconds(1));
    assertEquals(1, meterOf("alice").lastWanted());
  }

  @Test
  void aPauseOfAllKeysHoldsAsWell() {
    keyed.all().pause();
    assertFalse(keyed.acquireAsync("alice").isDone());
    assertEquals(0, meterOf("alice").lastWanted());
    keyed.all().resume();
    assertEquals(1, meterOf("alice").lastWanted());
    keyed.all().pauseFor(Duration.ofSeconds(1));
    assertEquals(0, meterOf("alice").lastWanted());
    time.advance(Duration.ofSeconds(1));
    assertEquals(1, meterOf("alice").lastWanted());
  }

  @Test
  void aKeyWithALeaseIsKeptUntilThatEnds() {
    assertTrue(keyed.tryAcquire("alice").isEmpty());
    meterOf("alice").endsAt = Duration.ofSeconds(1).toNanos();
    meterOf("alice").feed(3);
    time.advance(SOON);
    assertEquals(1, keyed.size());
    var last = new CompletableFuture<Long>();
    HandFedMeter meter = meterOf("alice");
    meter.errand = () -> last.complete(time.nanoTime());
    time.advance(Duration.ofSeconds(1));
    assertEquals(0, keyed.size());
    assertEquals(1, retired(meter));
    assertTrue(last.isDone());
  }

  @Test
  void aDroppedKeyGetsANewMeterAndTheOldSinkIsHarmless() {
    assertTrue(keyed.tryAcquire("alice").isEmpty());
    HandFedMeter old = meterOf("alice");
    time.advance(SOON);
    assertEquals(0, keyed.size());
    old.feed(4);
    old.context.sink().refuse("gone");
    var waiter = keyed.acquireAsync("alice");
    assertEquals(2, source.meters.size());
    assertFalse(waiter.isDone());
    meterOf("alice").feed(1);
    assertTrue(waiter.isDone());
    assertEquals(1, retired(old));
  }

  @Test
  void aRefusalOfOneKeyIsItsOwn() {
    var alice = keyed.acquireAsync("alice");
    var bob = keyed.acquireAsync("bob");
    meterOf("alice").context.sink().refuse("shard 3 is down");
    assertTrue(alice.isCompletedExceptionally());
    assertThrows(SourceUnavailableException.class, () -> keyed.acquire("alice"));
    assertEquals("shard 3 is down", keyed.limiter("alice").snapshot().unavailable().orElseThrow());
    assertFalse(bob.isDone());
    assertTrue(keyed.limiter("bob").snapshot().unavailable().isEmpty());
  }

  /** Metrics of a keyed limiter are those of all keys together; they said nothing of a store. */
  @Test
  void aStoreThatIsDownIsToldOfAllKeys() {
    assertTrue(keyed.all().snapshot().unavailable().isEmpty());
    keyed.tryAcquire("alice");
    keyed.tryAcquire("bob");
    meterOf("alice").unavailable = "the store is down";
    meterOf("alice").context.sink().tell(now -> {});
    assertEquals("the store is down", keyed.all().snapshot().unavailable().orElseThrow());
    meterOf("bob").feed(1);
    assertTrue(keyed.all().snapshot().unavailable().isEmpty());
  }

  @Test
  void aRefusalOfAllKeysIsToldOfThemTogether() {
    keyed.tryAcquire("alice");
    meterOf("alice").context.all().orElseThrow().refuse("the store is down");
    assertEquals("the store is down", keyed.all().snapshot().unavailable().orElseThrow());
    assertTrue(keyed.all().snapshot().sourceFails());
  }

  @Test
  void aFailureIsToldOfItsKeyAndOfAllTogether() {
    keyed.tryAcquire("alice");
    keyed.tryAcquire("bob");
    assertFalse(keyed.all().snapshot().sourceFails());
    meterOf("alice").failing = true;
    meterOf("alice").context.sink().tell(now -> {});
    assertTrue(keyed.limiter("alice").snapshot().sourceFails());
    assertFalse(keyed.limiter("bob").snapshot().sourceFails());
    assertTrue(keyed.all().snapshot().sourceFails());
  }

  @Test
  void closingRetiresTheMetersOfAllKeys() {
    assertTrue(keyed.tryAcquire("alice").isEmpty());
    var bob = keyed.acquireAsync("bob");
    keyed.close();
    assertEquals(1, retired(meterOf("alice")));
    assertEquals(1, retired(meterOf("bob")));
    assertTrue(bob.isCompletedExceptionally());
    assertThrows(LimiterClosedException.class, () -> keyed.acquire("carol"));
    assertEquals(1, retired(meterOf("carol")));
  }

  @Test
  void lookingAtAKeyMakesNoMeter() {
    assertEquals(0, keyed.limiter("alice").snapshot().granted());
    assertEquals(List.of(), source.meters);
  }

  @Test
  void theCommonLimitIsOfferedOnceAndChangedForAll() {
    var sinks = new ArrayList<NewsSink>();
    var offering = new Offering(sinks);
    KeyedLimiter<String> api =
        KeyedLimiter.builder("10/1s").time(time).executor(Runnable::run).source(offering).build();
    var waiter = api.acquireAsync("alice");
    api.setLimit("20/1s");
    assertEquals("10/1s", api.limit().toString());
    assertEquals(1, sinks.size());
    sinks.get(0).change(Limits.parse("20/1s"));
    assertEquals("20/1s", api.limit().toString());
    assertEquals("20/1s", api.limiter("alice").limit().toString());
    assertFalse(waiter.isDone());
    sinks.get(0).refuse("all is down");
    assertTrue(waiter.isCompletedExceptionally());
    assertThrows(SourceUnavailableException.class, () -> api.acquire("bob"));
    sinks.get(0).tell(now -> {});
    assertTrue(api.tryAcquire("bob").isEmpty());
  }

  @Test
  void theLimitOfOneKeyIsOfferedWithItsSink() {
    var sinks = new ArrayList<NewsSink>();
    KeyedLimiter<String> api =
        KeyedLimiter.builder("10/1s").time(time).source(new Offering(sinks)).build();
    api.limiter("alice").setLimit("50/1s");
    assertEquals("10/1s", api.limiter("alice").limit().toString());
    time.advance(SOON); // the key may be dropped meanwhile
    sinks.get(0).change(Limits.parse("50/1s"));
    assertEquals("50/1s", api.limiter("alice").limit().toString());
    assertEquals("10/1s", api.limiter("bob").limit().toString());
  }

  @Test
  void aChangeThatIsLeftToTheLimiterBringsNoFreeBurst() {
    assertTrue(keyed.tryAcquire("alice").isEmpty());
    keyed.setLimit("1000/1s");
    assertTrue(keyed.tryAcquire("alice").isEmpty());
    assertEquals("1000/1s", meterOf("alice").context.limit().toString());
    keyed.limiter("bob").setLimit("2000/1s");
    assertTrue(keyed.tryAcquire("bob").isEmpty());
    assertEquals("2000/1s", meterOf("bob").context.limit().toString());
  }

  @Test
  void keysOfASourceMayBeWithinALimiterOfAnother() {
    var whole = new HandFedSource();
    Limiter all =
        Limiter.builder("100/1s").time(time).executor(Runnable::run).source(whole).build();
    KeyedLimiter<String> api = KeyedLimiter.builder("10/1s").within(all).source(source).build();
    var waiter = api.acquireAsync("alice");
    meterOf("alice").feed(1);
    assertFalse(waiter.isDone());
    assertEquals(1, whole.meter().lastWanted());
    whole.meter().feed(1);
    assertTrue(waiter.isDone());
    assertEquals(0, meterOf("alice").leased);
    assertEquals(0, whole.meter().leased);
  }

  @Test
  void keysMayBeAddedToALimiterInUse() {
    Limiter all = Limiter.builder("100/1s").time(time).executor(Runnable::run).build();
    assertTrue(all.tryAcquire().isPresent());
    KeyedLimiter<String> api = KeyedLimiter.builder("10/1s").within(all).source(source).build();
    assertTrue(api.tryAcquire("alice").isEmpty());
    meterOf("alice").feed(2);
    assertTrue(api.tryAcquire("alice").isPresent());
    assertTrue(all.tryAcquire().isPresent());
    int asked = meterOf("alice").wanted.size();
    assertTrue(api.tryAcquire("alice").isPresent());
    assertEquals(asked + 1, meterOf("alice").wanted.size());
  }

  @Test
  void aLimitThatTheSourceCannotCountIsRefusedBeforeAnyKey() {
    source.refuses = limit -> true;
    var builder = KeyedLimiter.builder("10/1s").source(source);
    assertThrows(IllegalArgumentException.class, builder::build);
  }

  /** Wants every change, and keeps the sink it was offered with. */
  private record Offering(List<NewsSink> sinks) implements MeterSource {

    @Override
    public FedMeter newMeter(MeterContext context) {
      return new HandFedMeter(context, false);
    }

    @Override
    public boolean takesChange(Limit next, NewsSink sink) {
      sinks.add(sink);
      return true;
    }
  }
}
