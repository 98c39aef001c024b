package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A process that has just begun judges the store's clock by what others have told of theirs. */
class WallOffsetTest {

  private static final long SECOND = 1_000_000;
  private static final Terms TERMS = Terms.of(Limits.parse("10/20s"), Duration.ZERO);
  private static final String APART =
      "the store's clock was set forward, or that of a process back";

  private final StoreTwin store = new StoreTwin();
  private long now = 1_790_000_000 * SECOND; // true time
  private long told; // by the last client that was not believed

  WallOffsetTest() {
    store.wall = now;
    assertNull(begin("first", 0));
  }

  @Test
  void aClockThatWasSetForwardWhileNoClientCalledIsSeen() {
    pass(SECOND / 2);
    store.wall += 21 * SECOND;
    assertEquals(APART, begin("next", 0));
    assertEquals(TERMS.fence(), distrust("next"));
  }

  @Test
  void aClockThatIsRightIsBelieved() {
    pass(3_600 * SECOND);
    assertNull(begin("next", SECOND / 2));
  }

  /** Units are free too late then, never too early. */
  @Test
  void aClockThatWasSetBackIsBelieved() {
    pass(3_600 * SECOND);
    store.wall -= 21 * SECOND;
    assertNull(begin("next", 0));
  }

  @Test
  void aMachineWhoseClockIsBehindCostsOneFence() {
    assertEquals(APART, begin("behind", -60 * SECOND));
    distrust("behind");
    assertNull(begin("behind, again", -60 * SECOND));
    assertNull(begin("right, again", 0));
  }

  @Test
  void aMachineWhoseClockIsAheadCostsNone() {
    assertNull(begin("ahead", 60 * SECOND));
    assertNull(begin("right, again", 0));
  }

  @Test
  void aStepThatAClientHasSeenEndsWhatWasToldBefore() {
    begin("behind", -21 * SECOND);
    distrust("behind");
    pass(SECOND);
    store.wall += 21 * SECOND;
    call("first", epoch(), "the store's clock was set forward", null);
    assertEquals(List.of(), requireStored().offsets);
  }

  @Test
  void theTimeThatAReplyTookIsHalfOfItsError() {
    Reply reply = call("next", "", "", null);
    Instant wall = Instant.EPOCH.plusNanos((now + 3 * SECOND) * 1000);
    assertEquals(3 * SECOND - 200_000, WallOffset.of(wall, reply, 400_000_000));
  }

  /** Returns why a process whose wall clock is off does not believe the store when it begins. */
  private @Nullable String begin(String client, long off) {
    Reply reply = call(client, "", "", null);
    long offset = WallOffset.of(Instant.EPOCH.plusNanos((now + off) * 1000), reply, 0);
    String doubt = WallOffset.doubt(offset, reply.offsets(), WallOffset.TOLERANCE);
    if (doubt == null) {
      call(client, reply.epoch(), "", offset);
    } else {
      told = offset;
    }
    return doubt;
  }

  /** Makes the call that begins an epoch, and the one after it; returns the fence. */
  private long distrust(String client) {
    Reply reply = call(client, epoch(), APART, told);
    call(client, reply.epoch(), "", told);
    return reply.closedFor();
  }

  private void pass(long micros) {
    now += micros;
    store.wall += micros;
  }

  private StoredLimit requireStored() {
    return requireNonNull(store.stored);
  }

  private String epoch() {
    return Long.toString(requireStored().began);
  }

  private Reply call(String client, String epoch, String distrust, @Nullable Long offset) {
    var request =
        new Request(1, List.of(new Request.Demand(0, 0, 0)), epoch, distrust, "", List.of());
    return store.acquire("", client, request, TERMS, true, offset);
  }
}
