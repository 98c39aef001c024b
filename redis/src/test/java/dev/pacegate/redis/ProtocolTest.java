package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import dev.pacegate.redis.StoreTwin.Mutant;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Calls of the store in an order that matters. The scripts do what the twin does. */
class ProtocolTest {

  private static final long MS = 1000;

  private StoreTwin store = new StoreTwin();
  private Terms terms = terms("peer(10/1s, margin=0s, unanswered=1s)");
  private boolean fresh = true;
  private String epoch = ""; // the first

  ProtocolTest() {
    store.wall = 1_790_000_000_000_000L;
  }

  @Test
  void aRequestThatIsRepeatedAfterItsFirstLeaseIsOverFindsTheOther() {
    Reply reply = twoLeases("a");
    store.wall = reply.grants().get(0).until() + term().unanswered() + term().interval();
    Reply again = call("a", 1, 7, 1);
    assertEquals(List.of(reply.grants().get(1)), again.grants());
  }

  @Test
  void aRequestThatArrivesLateLosesNoUnits() {
    Reply reply = twoLeases("a");
    store.wall = reply.grants().get(1).from() + 10 * MS;
    call("a", 2, 0, 0, ended("1.0", 1));
    store.wall += 50 * MS;
    call("a", 3, 0, 0, ended("1.0", 0));
    store.wall += 900 * MS;
    assertEquals(2, call("a", 1, 7, 1).grants().size());
  }

  @Test
  void aServerThatLosesNothingGoesOnAfterARestart() {
    store.durable = true;
    Reply reply = call("a", 1, 7, 1);
    restart("00");
    Reply after = call("a", 1, 7, 1);
    assertEquals(reply.epoch(), after.epoch());
    assertEquals(reply.grants(), after.grants()); // repeated, it finds them
    assertEquals(List.of(3L), units(call("b", 1, 4, 1)));
  }

  /** Its id from before tells a replica that took over. */
  @Test
  void aServerThatTookOverIsFencedWhateverIsSaidOfIt() {
    store.durable = true;
    call("a", 1, 7, 1);
    restart("0f");
    assertNotEquals(0, call("a", 2, 1, 1).closedFor());
  }

  @Test
  void oneProcessThatDoesNotSayThatNothingIsLostIsEnoughForAFence() {
    store.durable = true;
    call("a", 1, 7, 1);
    store.durable = false;
    call("b", 1, 1, 1);
    store.durable = true;
    call("a", 2, 1, 1);
    restart("00");
    assertNotEquals(0, call("a", 3, 1, 1).closedFor());
    restart("00"); // the epoch has begun with a caller who says so
    Reply again = call("a", 4, 1, 1);
    restart("00");
    assertEquals(again.epoch(), call("a", 5, 1, 1).epoch());
  }

  @Test
  void aRestartIsFencedIfTheFirstToCallDoesNotSayThatNothingIsLost() {
    store.durable = true;
    call("a", 1, 7, 1);
    store.durable = false;
    restart("00");
    assertNotEquals(0, call("b", 1, 1, 1).closedFor());
  }

  private void restart(String earlier) {
    store.run += "1";
    store.replication += "1";
    store.earlier = earlier;
    store.wall += 10 * MS;
  }

  @Test
  void unitsThatAChangeAddsWithinAFenceAreBehindItToo() {
    fresh = false;
    Reply reply = call("a", 1, 0, 0);
    long fenced = store.wall + reply.closedFor();
    change("peer(100/1s, margin=0s, unanswered=1s)");
    assertEquals(List.of(), call("a", 2, 100, 1).grants());
    store.wall = fenced - terms.horizon();
    assertEquals(List.of(100L), units(call("a", 3, 100, 100)));
  }

  /** A fence may end by itself while people look at it, and units be used since. */
  @Test
  void aFenceThatIsOverIsNotEndedAnotherTime() {
    terms = terms("bucket(5/10s, burst=5)");
    assertEquals(List.of(5L), units(call("a", 1, 5, 5)));
    store.wall += terms.use();
    store.control(false, "unfence", "", "nothing was sent");
    assertEquals(List.of(), call("b", 1, 5, 5).grants());
  }

  @Test
  void aRequestThatIsOpenForLongCountsInFullThoughItWasToldLate() {
    Reply reply = call("a", 1, 10, 10);
    long over = reply.grants().get(0).until() + term().unanswered() + term().interval();
    store.wall = over - 100 * MS;
    assertEquals(List.of(4L), units(call("b", 1, 4, 4)));
    for (int i = 2; i < 10; i++) {
      call("a", i, 0, 0, open("1.0", 10));
      store.wall += 500 * MS;
    }
    assertEquals(List.of(), call("c", 1, 1, 1).grants());
  }

  @Test
  void aLeaseThatIsGrantedAgainAfterAChangeIsSpentForLongEnough() {
    call("a", 1, 10, 10);
    change("peer(10/10s, margin=0s, unanswered=1s)");
    Reply again = call("a", 1, 10, 10);
    long over = again.grants().get(0).until() + term().unanswered() + term().interval();
    store.wall = over - terms.horizon() - 1;
    assertEquals(List.of(), call("b", 1, 10, 10).grants());
    store.wall++;
    assertEquals(over, call("b", 2, 10, 10).grants().get(0).from());
  }

  @Test
  void anEndByTheClockOfAnEarlierEpochFreesNothing() {
    call("a", 1, 10, 10);
    store.run = "another";
    store.wall += 3_600_000 * MS;
    for (int i = 0; i < 6; i++) {
      call("a", 2, 0, 0, open("1.0", 10));
      store.wall += 400 * MS;
    }
    call("a", 2, 0, 0, new Report(0, "1.0", 0, Report.Kind.ENDED, store.wall - 3_600_000 * MS));
    store.wall += 800 * MS;
    assertEquals(List.of(), call("b", 1, 10, 1).grants());
  }

  @Test
  void aServerThatWasReplacedAndComesBackDoesNotGrantWhatTheOtherHas() {
    assertEquals(List.of(), grantsOfAServerThatComesBack(Mutant.NONE));
  }

  @Test
  void thatWouldNotBeSeenByTheRunAlone() {
    assertNotEquals(List.of(), grantsOfAServerThatComesBack(Mutant.EPOCH_BY_RUN_ALONE));
  }

  /** What was reserved for later may have begun, as nothing tells how much time has passed. */
  @Test
  void aReplicaThatGoesOnCountsWhatWasReservedFromThenOn() {
    terms = Terms.of(terms.limit(), null);
    store.listed = List.of(new StoreTwin.Listed("r1", true, 0));
    twoLeases("a");
    promote("r1");
    store.wall += 200 * MS;
    Reply reply = call("d", 1, 10, 1);
    assertEquals(0, reply.closedFor());
    assertEquals(List.of(), reply.grants());
    StoredLimit.Count count =
        requireNonNull(requireNonNull(store.stored).states.get("")).counts.get(0);
    assertTrue(count.runs.stream().allMatch(run -> run.from() <= store.wall));
    assertTrue(count.held() >= 10); // what is over may count, too
  }

  /** The keys wait, as their states end by the server's clock. */
  @Test
  void ofAReplicaThatGoesOnTheLimitForAllKeysHasAllThatTheKeysTook() {
    terms = Terms.of(terms.limit(), null);
    store.listed = List.of(new StoreTwin.Listed("r1", true, 0));
    for (String key : List.of("one", "other")) {
      assertEquals(List.of(1L), units(callFor(key)));
      store.at("all");
      assertEquals(List.of(1L), units(call(key, 1, 1, 1)));
    }
    promote("r1");
    assertEquals(terms.fence(), callFor("one").closedFor());
    store.at("all");
    Reply reply = call("a", 1, 10, 1);
    assertEquals(0, reply.closedFor());
    assertEquals(List.of(8L), units(reply));
  }

  private Reply callFor(String key) {
    store.at("keys");
    String revision = store.acquire(key, "a", request(0, 0, 0), terms, fresh).revision();
    List<Request.Demand> one = List.of(new Request.Demand(1, 1, 0));
    return store.acquire(key, "a", new Request(1, one, "", "", revision, List.of()), terms, fresh);
  }

  @Test
  void aReplicaThatIsNotNamedWaitsForAFence() {
    terms = Terms.of(terms.limit(), null);
    store.listed = List.of(new StoreTwin.Listed("r1", true, 0));
    twoLeases("a");
    promote("r2");
    assertEquals(terms.fence(), call("d", 1, 10, 1).closedFor());
  }

  /** It may have confirmed more than stands in its file. */
  @Test
  void aReplicaThatWasJustStartedWaitsForAFence() {
    terms = Terms.of(terms.limit(), null);
    store.listed = List.of(new StoreTwin.Listed("r1", true, 0));
    twoLeases("a");
    promote("r1");
    store.uptime = terms.fence();
    assertEquals(terms.fence(), call("d", 1, 10, 1).closedFor());
  }

  /** A replica of the server may have been promoted while it was away. */
  @Test
  void aServerThatIsRestartedWithItsFileStillWaitsForItsReplicas() {
    terms = Terms.of(terms.limit(), null);
    store.listed = List.of(new StoreTwin.Listed("r1", true, 0));
    twoLeases("a");
    store.run = "another";
    store.listed = List.of();
    assertThrows(StoreTwin.AwayException.class, () -> call("d", 1, 10, 1));
    store.wall += terms.fence();
    assertThrows(StoreTwin.AwayException.class, () -> call("d", 2, 10, 1));
  }

  /** As when its first replica comes, or its last one left an hour ago. */
  @Test
  void anIdThatChangedWhileALimitWasIdleIsNoPromotion() {
    call("a", 1, 1, 1);
    store.replication = "b2";
    store.wall += 59_000 * MS;
    assertEquals(0, call("a", 2, 1, 1).closedFor());
    store.replication = "b3";
    store.wall += 61_000 * MS;
    Reply reply = call("a", 3, 1, 1);
    assertEquals(terms.fence(), reply.closedFor());
    assertEquals("the store has a new replication id", reply.reason());
  }

  /** Each try would keep the connection of all limits while it waits for the replica. */
  @Test
  void aChangeWaitsForAReplicaThatIsAway() {
    terms = Terms.of(terms.limit(), null);
    store.listed = List.of(new StoreTwin.Listed("r1", true, 0));
    call("a", 1, 1, 1);
    Terms next = Terms.of(Limits.parse("peer(20/1s)"), null);
    store.listed = List.of(new StoreTwin.Listed("r1", true, 4));
    assertThrows(StoreTwin.AwayException.class, () -> store.set("", terms, next));
    assertEquals(terms, requireNonNull(store.stored).law.terms());
    store.listed = List.of(new StoreTwin.Listed("r1", true, 0));
    assertEquals("peer(20/1s)", store.set("", terms, next).limit());
  }

  private void promote(String address) {
    store.run = "promoted";
    store.earlier = store.replication;
    store.replication = "b2";
    store.address = address;
    store.wasReplica = true;
    store.listed = List.of();
  }

  private List<Reply.Grant> grantsOfAServerThatComesBack(Mutant mutant) {
    store.mutant = mutant;
    call("a", 1, 1, 1);
    StoreTwin first = store;
    store = first.copy();
    store.run = "a2";
    store.replication = "b2";
    store.earlier = first.replication;
    store.wall += call("a", 2, 0, 0).closedFor();
    assertEquals(List.of(10L), units(call("a", 3, 10, 10)));
    first.wall = store.wall + 10 * MS;
    first.replication = "b3";
    first.earlier = "b2";
    store = first;
    return call("b", 1, 10, 1).grants();
  }

  /** Returns a reply to request 1 that grants 4 units, and 3 that are free 50 ms later. */
  private Reply twoLeases(String client) {
    call("b", 1, 7, 7);
    store.wall += 100 * MS;
    call("b", 2, 0, 0, ended("1.0", 3));
    store.wall += 50 * MS;
    call("b", 3, 0, 0, ended("1.0", 0));
    call("c", 1, 3, 3);
    store.wall += 800 * MS;
    Reply reply = call(client, 1, 7, 1);
    assertEquals(List.of(4L, 3L), units(reply));
    return reply;
  }

  private Term term() {
    return terms.terms().get(0);
  }

  private static List<Long> units(Reply reply) {
    return reply.grants().stream().map(grant -> grant.units().get(0)).toList();
  }

  private static Report open(String lease, long left) {
    return new Report(0, lease, left, Report.Kind.OPEN, 0);
  }

  private void change(String limit) {
    Terms next = terms(limit);
    store.set("", terms, next);
    terms = next;
  }

  private Report ended(String lease, long left) {
    return new Report(0, lease, left, Report.Kind.ENDED, store.wall);
  }

  private Reply call(String client, long number, long want, long least, Report... reports) {
    if (store.stored == null) {
      store.acquire(client, request(0, 0, 0), terms, fresh);
    }
    var request = request(number, want, least, reports);
    Reply reply = store.acquire(client, request, terms, fresh);
    epoch = epoch.isEmpty() ? reply.epoch() : epoch;
    return reply;
  }

  private Request request(long number, long want, long least, Report... reports) {
    StoredLimit stored = store.stored;
    String revision = stored == null ? "" : Long.toString(stored.law.revision());
    return new Request(
        number, List.of(new Request.Demand(want, least, 0)), epoch, "", revision, List.of(reports));
  }

  private static Terms terms(String limit) {
    return Terms.of(Limits.parse(limit), Duration.ZERO);
  }
}
