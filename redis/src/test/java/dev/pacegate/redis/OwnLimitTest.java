package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A key with a limit of its own, and a key without one, when the store cannot know what was
 * granted: each waits for the fence of its own limit. The scripts do what the twin does.
 */
class OwnLimitTest {

  private static final long SECOND = 1_000_000;

  private static final Terms ALL = terms("10/1s");
  private static final Terms LONG = terms("10/20s");
  private static final Terms SHORT = terms("2/100ms");

  private final StoreTwin store = new StoreTwin();

  @BeforeEach
  void begin() {
    store.wall = 1_790_000_000_000_000L;
    ask("one", true);
  }

  @Test
  void aRestartClosesEachKeyForItsOwnFence() {
    set("one", LONG);
    restartLater();
    assertEquals(ALL.fence(), ask("other").closedFor());
    assertEquals(LONG.fence(), ask("one").closedFor());
    store.wall += ALL.fence();
    assertEquals(0, ask("other").closedFor());
    assertEquals(LONG.fence() - ALL.fence(), ask("one").closedFor());
  }

  @Test
  void theKeyThatIsUsedFirstClosesNoOther() {
    set("one", LONG);
    restartLater();
    assertEquals(LONG.fence(), ask("one").closedFor());
    assertEquals(ALL.fence(), ask("other").closedFor());
  }

  @Test
  void aKeyWaitsForItsFenceHoweverLateItIsUsed() {
    set("one", LONG);
    restartLater();
    ask("other");
    store.wall += LONG.fence() - SECOND;
    assertEquals(SECOND, ask("one").closedFor());
  }

  @Test
  void aFenceThatIsShorterThanThatOfAllIsOver() {
    set("one", SHORT);
    store.wall += 60 * SECOND;
    ask("one"); // what the limit of all granted before is over
    restartLater();
    assertEquals(ALL.fence(), ask("other").closedFor());
    assertEquals(SHORT.fence(), ask("one").closedFor());
  }

  @Test
  void aLimitThatWasLoweredJustBeforeStillCounts() {
    set("one", LONG);
    store.wall += 60 * SECOND;
    set("one", SHORT);
    restartLater();
    assertEquals(LONG.fence(), ask("one").closedFor());
    restartLater();
    assertEquals(LONG.fence(), ask("one").closedFor());
    assertEquals(ALL.fence(), ask("other").closedFor());
  }

  @Test
  void theLimitOfAllCountsForAWhileAfterAKeyLeftIt() {
    set("one", SHORT);
    restartLater();
    assertEquals(ALL.fence(), ask("one").closedFor());
  }

  @Test
  void aLimitThatIsSetWithinAFenceClosesItsKeyAlone() {
    restartLater();
    ask("one");
    store.wall += SECOND;
    set("one", LONG);
    assertEquals(LONG.fence() - SECOND, ask("one").closedFor());
    assertEquals(ALL.fence() - SECOND, ask("other").closedFor());
    set("one", SHORT);
    assertEquals(LONG.fence() - SECOND, ask("one").closedFor());
  }

  @Test
  void aLimitThatIsSetAfterAFenceClosesNothing() {
    restartLater();
    ask("one");
    store.wall += ALL.fence();
    set("one", LONG);
    assertEquals(0, ask("one").closedFor());
  }

  /** The limit of all is in force again, and what was leased under the other may be used. */
  @Test
  void anEvictedKeyMayHaveHadTheLongestLimit() {
    set("one", LONG);
    store.wall += 60 * SECOND;
    store.evict("one");
    assertEquals(LONG.fence(), ask("other").closedFor());
    Reply reply = ask("one");
    assertEquals(LONG.fence(), reply.closedFor());
    assertEquals(ALL.limit().toString(), reply.limit());
  }

  @Test
  void allFencesAreEndedTogether() {
    set("one", LONG);
    set("two", LONG);
    restartLater();
    ask("one");
    store.control(true, "unfence", "", "nothing was sent");
    assertEquals(List.of(0L, 0L, 0L), closedFor("one", "two", "other"));
    restartLater();
    assertEquals(LONG.fence(), ask("two").closedFor());
  }

  @Test
  void aBucketOfAKeyIsEmptyAtTheEndOfItsFence() {
    Terms bucket = terms("bucket(1/10s, burst=2)");
    set("one", bucket);
    restartLater();
    long closed = ask("one").closedFor();
    store.wall += closed;
    assertEquals(bucket.fence(), closed);
    assertEquals(List.of(), grants("one", bucket));
    store.wall += 10 * SECOND;
    assertEquals(1, grants("one", bucket).size());
  }

  @Test
  void aServerThatKnowsAnEarlierStateOfTheKeyClosesItToo() {
    set("one", LONG);
    StoreTwin replica = store.copy();
    ask("one");
    store.replicate(replica);
    store.replication = "b2";
    store.earlier = "b1";
    ask("other");
    assertEquals(LONG.fence(), ask("one").closedFor());
  }

  private List<Long> closedFor(String... keys) {
    return List.of(keys).stream().map(key -> ask(key).closedFor()).toList();
  }

  private void set(String key, Terms next) {
    store.set(key, ALL, next);
  }

  private void restartLater() {
    store.wall += SECOND / 2;
    store.run += "'";
  }

  private Reply ask(String key) {
    return ask(key, false);
  }

  private Reply ask(String key, boolean fresh) {
    return store.acquire(key, "client", request("", 0, ALL), ALL, fresh);
  }

  private List<Reply.Grant> grants(String key, Terms terms) {
    String revision = ask(key).revision();
    return store.acquire(key, "client", request(revision, 1, terms), ALL, false).grants();
  }

  private static Request request(String revision, long want, Terms terms) {
    List<Request.Demand> demands =
        terms.terms().stream().map(term -> new Request.Demand(want, want, 0)).toList();
    return new Request(1, demands, "", "", revision, List.of());
  }

  private static Terms terms(String limit) {
    return Terms.of(Limits.parse(limit), Duration.ZERO);
  }
}
