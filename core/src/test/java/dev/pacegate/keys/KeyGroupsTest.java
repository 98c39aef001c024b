package dev.pacegate.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import dev.pacegate.Share;
import dev.pacegate.TooManyKeysException;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.source.LocalSource;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Keys in groups: users in teams in an API, and calls of an account to an endpoint. */
class KeyGroupsTest {

  private final ManualTime time = ManualTime.manual();
  private final Map<String, String> teamOf = new HashMap<>();
  private final List<String> asked = new ArrayList<>();
  private final List<String> sent = new ArrayList<>();
  private Limiter api = limiter("1000/1m");
  private KeyedLimiter<String> teams = KeyedLimiter.builder("5/1m").within(api).build();
  private KeyedLimiter<String> users = users("3/1m");

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).name("api").time(time).executor(Runnable::run).build();
  }

  private KeyedLimiter<String> users(String limit) {
    return KeyedLimiter.builder(limit).within(teams, this::team).build();
  }

  private void make(String perUser, String perTeam, String forAll) {
    api = limiter(forAll);
    teams = KeyedLimiter.builder(perTeam).within(api).build();
    users = users(perUser);
  }

  private String team(String user) {
    asked.add(user);
    return teamOf.getOrDefault(user, user.substring(0, 1));
  }

  private void send(Limiter limiter, String what) {
    var unused = place(limiter, what);
  }

  private CompletableFuture<Permit> place(Limiter limiter, String what) {
    time.advanceNanos(1); // those who come at one instant may go in any order
    CompletableFuture<Permit> place = limiter.acquireAsync();
    var unused = place.thenAccept(permit -> sent.add(what));
    return place;
  }

  private void send(String... some) {
    for (String user : some) {
      send(users.limiter(user), user);
    }
  }

  private static int takeAll(Limiter limiter) {
    int taken = 0;
    while (limiter.tryAcquire().isPresent()) {
      taken++;
    }
    return taken;
  }

  // ---- charging

  @Test
  void requestIsChargedToItsKeyItsGroupAndAll() {
    assertEquals(3, takeAll(users.limiter("a1")));
    assertEquals(2, takeAll(users.limiter("a2")), "five for the team, less three");
    assertEquals(0, takeAll(teams.limiter("a")));
    assertEquals(3, takeAll(users.limiter("b1")));
    assertEquals(992, takeAll(api));
  }

  @Test
  void refusedRequestChargesNoLevel() {
    make("1/1m", "5/1m", "1000/1m");
    assertEquals(1, takeAll(users.limiter("a1")));
    for (int i = 0; i < 7; i++) {
      assertTrue(users.tryAcquire("a1").isEmpty());
    }
    assertEquals(4, takeAll(teams.limiter("a")), "one of eight tries was sent");
    assertEquals(995, takeAll(api));
  }

  @Test
  void permitThatWasNotSentIsGivenBackAtEachLevel() {
    make("peer(1/1m)", "peer(1/1m)", "peer(1/1m)");
    users.tryAcquire("a1").orElseThrow().notSent();
    Permit again = users.tryAcquire("a1").orElseThrow();
    assertEquals(1, teams.limiter("a").snapshot().open());
    again.answered();
    assertTrue(teams.tryAcquire("a").isEmpty());
    time.advance(Duration.ofSeconds(61));
    assertTrue(teams.tryAcquire("a").isPresent());
  }

  @Test
  void permitOfAGroupThatAloneCountsEndsIsKeptOpen() {
    make("9/1m", "concurrent(1)", "1000/1m");
    Permit open = users.tryAcquire("a1").orElseThrow();
    CompletableFuture<Permit> next = place(users.limiter("a2"), "a2");
    assertFalse(next.isDone());
    open.answered();
    assertTrue(next.isDone(), "the place of the team is free");
  }

  @Test
  void plainCostThatOnlyTheGroupCountsIsAccepted() {
    make("concurrent(9)", "5/1m", "concurrent(9)");
    assertTrue(users.limiter("a1").tryAcquire(4).isPresent());
    assertTrue(users.limiter("a1").tryAcquire(4).isEmpty());
    make("concurrent(9)", "concurrent(9)", "concurrent(9)");
    assertThrows(IllegalArgumentException.class, () -> users.limiter("a1").tryAcquire(4));
  }

  @Test
  void fourLevelsAreChargedAsOne() {
    KeyedLimiter<String> devices =
        KeyedLimiter.builder("2/1m")
            .within(users, (String device) -> device.substring(0, 2))
            .build();
    assertEquals(2, takeAll(devices.limiter("a1x")));
    assertEquals(1, takeAll(devices.limiter("a1y")), "three for the user, less two");
    assertEquals(2, takeAll(devices.limiter("a2x")));
    assertEquals(0, takeAll(devices.limiter("a3x")), "the team has sent five");
    assertEquals(
        List.of("2/1m", "3/1m", "5/1m", "1000/1m"),
        devices.limiter("a1x").limits().stream().map(Limit::toString).toList());
  }

  // ---- turns

  @Test
  void waitingGroupDoesNotHoldUpAnother() {
    make("9/1m", "2/1m", "1000/1m");
    send("a1", "a2", "a1", "b1");
    assertEquals(List.of("a1", "a2", "b1"), sent);
    time.advance(Duration.ofMinutes(1));
    assertEquals(List.of("a1", "a2", "b1", "a1"), sent);
  }

  @Test
  void keysOfAGroupTakeTurns() {
    make("9/1m", "1/1s", "unlimited");
    send("a0", "a1", "a1", "a1", "a2", "a2", "a3");
    time.advance(Duration.ofSeconds(10));
    assertEquals(List.of("a0", "a1", "a2", "a3", "a1", "a2", "a1"), sent);
  }

  @Test
  void groupsTakeTurnsHoweverManyKeysTheyHave() {
    make("9/1m", "9/1m", "1/1s");
    send("b0", "a1", "a2", "a3", "a4", "b1", "b2");
    time.advance(Duration.ofSeconds(10));
    assertEquals(List.of("b0", "a1", "b1", "a2", "b2", "a3", "a4"), sent);
  }

  @Test
  void groupThatComesLateHasSavedUpNothing() {
    make("9/1m", "9/1m", "1/1s");
    send("a1", "a1", "a1", "a1", "a1", "a1");
    time.advance(Duration.ofMillis(3_500));
    assertEquals(4, sent.size());
    send("b1", "b2");
    time.advance(Duration.ofSeconds(4));
    assertEquals(List.of("b1", "a1", "b2", "a1"), sent.subList(4, 8));
  }

  @Test
  void requestsOfTheGroupItselfTakeTurnsWithItsKeys() {
    make("9/1m", "1/1s", "unlimited");
    send(teams.limiter("a"), "a");
    send(teams.limiter("a"), "a");
    send(teams.limiter("a"), "a");
    send("a1", "a1");
    time.advance(Duration.ofSeconds(10));
    assertEquals(List.of("a", "a", "a1", "a", "a1"), sent);
  }

  @Test
  void waiterThatLeavesPassesTheWatchOnToAnotherKeyOfItsGroup() {
    make("9/1m", "1/1s", "unlimited");
    send("a0");
    CompletableFuture<Permit> first = place(users.limiter("a1"), "a1");
    send("a2");
    first.cancel(true);
    time.advance(Duration.ofSeconds(1));
    assertEquals(List.of("a0", "a2"), sent);
  }

  @Test
  void tryingDoesNotOvertakeAnotherKeyOfTheGroup() {
    make("9/1m", "concurrent(1)", "unlimited");
    Permit open = users.tryAcquire("a1").orElseThrow();
    send("a2");
    assertTrue(users.tryAcquire("a3").isEmpty());
    open.answered();
    assertEquals(List.of("a2"), sent);
  }

  /** Its clock may be ahead of its timer: a waiter whose instant has come has not woken yet. */
  private record LateTimer(ManualTime inner, AtomicLong ahead) implements Time {

    @Override
    public long nanoTime() {
      return inner.nanoTime() + ahead.get();
    }

    @Override
    public Scheduled at(long instant, Runnable task) {
      return inner.at(instant, task);
    }
  }

  @Test
  void tryingDoesNotOvertakeAKeyOfTheGroupThatHasNotWokenYet() {
    var late = new LateTimer(time, new AtomicLong());
    api = Limiter.builder("1000/1m").time(late).executor(Runnable::run).build();
    teams = KeyedLimiter.builder("1/1s").within(api).build();
    users = users("9/1m");
    send("a1", "a2");
    late.ahead.set(1_000_000_000);
    assertTrue(users.tryAcquire("a3").isEmpty());
    assertEquals(List.of("a1", "a2"), sent);
  }

  // ---- control

  @Test
  void limitsAreSetAtEachLevel() {
    make("1/1m", "1/1m", "1/1m");
    send("a1", "a1", "a2");
    users.setLimit("9/1m");
    assertEquals(1, sent.size());
    api.setLimit("1000/1m");
    assertEquals(1, sent.size());
    teams.setLimit("2/1m");
    assertEquals(List.of("a1", "a1"), sent);
    teams.limiter("a").setLimit("3/1m");
    assertEquals(List.of("a1", "a1", "a2"), sent);
    assertEquals("3/1m", teams.limiter("a").limit().toString());
  }

  @Test
  void limitOfAnIdleGroupIsInForceAtTheNextRequestOfAKey() {
    make("9/1m", "5/1m", "1000/1m");
    assertTrue(users.tryAcquire("a1").isPresent());
    teams.setLimit("2/1m");
    assertEquals(1, takeAll(users.limiter("a2")));
  }

  @Test
  void pauseOfAGroupStopsItsKeysAndNoOthers() {
    teams.limiter("a").pause();
    send("a1", "b1");
    send(teams.limiter("a"), "a");
    assertEquals(List.of("b1"), sent);
    assertTrue(users.limiter("a1").snapshot().paused());
    assertFalse(users.limiter("b1").snapshot().paused());
    teams.limiter("a").resume();
    assertEquals(List.of("b1", "a1", "a"), sent);
    teams.limiter("a").pauseFor(Duration.ofSeconds(1));
    send("a1");
    time.advance(Duration.ofSeconds(1));
    assertEquals(List.of("b1", "a1", "a", "a1"), sent);
  }

  @Test
  void pauseOfAGroupTakesBackWhatWasCalled() {
    var tasks = new ArrayList<Runnable>();
    api = Limiter.builder("1000/1m").time(time).executor(tasks::add).build();
    teams = KeyedLimiter.builder("1/1s").within(api).build();
    users = users("9/1m");
    send("a0", "a1");
    time.advance(Duration.ofSeconds(1));
    teams.limiter("a").pause();
    tasks.forEach(Runnable::run);
    assertEquals(List.of("a0"), sent);
    tasks.clear();
    teams.limiter("a").resume();
    tasks.forEach(Runnable::run);
    assertEquals(List.of("a0", "a1"), sent);
  }

  @Test
  void resumingAllResumesEachGroupAndKey() {
    teams.limiter("a").pause();
    users.limiter("b1").pause();
    send("a1", "b1");
    api.resume();
    assertEquals(List.of("a1", "b1"), sent);
  }

  @Test
  void snapshotOfAGroupCountsItsKeys() {
    make("peer(2/1m)", "peer(3/1m)", "1000/1m");
    send("a1", "a1", "a1", "a2", "a3");
    assertTrue(users.tryAcquire("a1").isEmpty());
    var team = teams.limiter("a").snapshot();
    assertEquals(3, team.granted());
    assertEquals(1, team.refused());
    assertEquals(2, team.waiting(), "one of a1, and a3");
    assertEquals(3, team.open());
    assertEquals(3, team.most().get(0).count());
    time.advance(Duration.ofSeconds(1));
    assertEquals(Duration.ofSeconds(1).plusNanos(4), teams.limiter("a").snapshot().oldestOpen());
    assertEquals(Duration.ofSeconds(1).plusNanos(2), teams.limiter("a").snapshot().oldestWait());
    assertEquals(2, users.limiter("a1").snapshot().granted());
  }

  @Test
  void closingAGroupRefusesItsWaitersAndClosingGroupsRefusesAll() {
    make("1/1m", "9/1m", "1000/1m");
    send("a1", "b1");
    CompletableFuture<Permit> a = place(users.limiter("a1"), "a1");
    CompletableFuture<Permit> b = place(users.limiter("b1"), "b1");
    teams.limiter("a").close();
    assertTrue(a.isCompletedExceptionally());
    assertFalse(b.isDone());
    teams.close();
    assertTrue(b.isCompletedExceptionally());
    assertThrows(LimiterClosedException.class, () -> users.acquire("b1"));
    assertThrows(LimiterClosedException.class, () -> users.acquire("c1"));
    assertTrue(api.tryAcquire().isPresent());
  }

  // ---- the group of a key

  @Test
  void groupIsAskedForWhenAKeyBecomesKnownAndStaysThatOfTheKey() {
    assertTrue(users.tryAcquire("a1").isPresent());
    teamOf.put("a1", "b");
    assertTrue(users.tryAcquire("a1").isPresent());
    assertEquals(List.of("a1"), asked);
    assertEquals(2, teams.limiter("a").snapshot().granted());
    time.advance(Duration.ofMinutes(2));
    assertEquals(0, users.size());
    assertTrue(users.tryAcquire("a1").isPresent());
    assertEquals(1, teams.limiter("b").snapshot().granted());
  }

  @SuppressWarnings("NullAway") // a program's function may be wrong
  @Test
  void failureOfTheFunctionGoesToTheCallerAndNothingIsCharged() {
    var failure = new IllegalStateException("no such user");
    KeyedLimiter<String> failing =
        KeyedLimiter.builder("3/1m")
            .within(
                teams,
                (String user) -> {
                  throw failure;
                })
            .build();
    assertSame(failure, assertThrows(IllegalStateException.class, () -> failing.tryAcquire("a1")));
    assertSame(failure, assertThrows(IllegalStateException.class, () -> failing.acquire("a1")));
    assertEquals(0, failing.size());
    assertEquals(0, api.snapshot().granted());
    KeyedLimiter<String> nothing =
        KeyedLimiter.builder("3/1m").within(teams, (String user) -> teamOf.get(user)).build();
    var none = assertThrows(NullPointerException.class, () -> nothing.tryAcquire("a1"));
    assertEquals(
        "the function given to within returned null, not a key of api, for the key a1",
        none.getMessage());
  }

  @Test
  void groupsAreKnownWhileAKeyOfThemIsAndDroppedAfterwards() {
    make("1/1h", "5/1s", "1000/1m");
    send("a1", "a2", "b1");
    assertEquals(2, teams.size());
    time.advance(Duration.ofMinutes(59));
    assertEquals(2, teams.size(), "three keys owe for an hour");
    time.advance(Duration.ofMinutes(2));
    assertEquals(0, users.size());
    assertEquals(0, teams.size());
    assertEquals(0, time.pending());
  }

  @Test
  void groupInDebtOutlivesItsKeys() {
    make("1/1s", "1/1h", "1000/1m");
    send("a1");
    time.advance(Duration.ofMinutes(1));
    assertEquals(0, users.size());
    assertEquals(1, teams.size());
    assertTrue(users.tryAcquire("a2").isEmpty());
  }

  @Test
  void tooManyGroupsRefuseNewOnesAndKeepNothing() {
    teams = KeyedLimiter.builder("5/1m").within(api).maxKeys(1).build();
    users = users("3/1m");
    assertTrue(users.tryAcquire("a1").isPresent());
    assertTrue(users.tryAcquire("b1").isEmpty());
    assertThrows(TooManyKeysException.class, () -> users.acquire("b1"));
    assertTrue(users.tryAcquire("a2").isPresent());
    assertEquals(2, users.size());
    time.advance(Duration.ofMinutes(3));
    assertEquals(0, teams.size());
    assertTrue(users.tryAcquire("b1").isPresent());
  }

  @Test
  void keyThatIsRefusedAsThereAreTooManyKeepsNoGroup() {
    users = KeyedLimiter.builder("3/1h").maxKeys(1).within(teams, this::team).build();
    assertTrue(users.tryAcquire("a1").isPresent());
    assertTrue(users.tryAcquire("b1").isEmpty());
    assertThrows(TooManyKeysException.class, () -> users.acquire("b1"));
    time.advance(Duration.ofMinutes(1));
    assertEquals(1, teams.size(), "that of the key that is known");
  }

  @Test
  void closingKeysLetsTheirGroupsGo() {
    make("peer(2/1m)", "peer(3/1s)", "1000/1m");
    Permit open = users.tryAcquire("a1").orElseThrow();
    users.close();
    time.advance(Duration.ofMinutes(1));
    assertEquals(1, teams.size(), "a permit is open");
    open.answered();
    time.advance(Duration.ofMinutes(1));
    assertEquals(0, teams.size());
    assertEquals(0, time.pending());
  }

  // ---- side by side

  private record Call(String account, String endpoint) {}

  @Test
  void callOfAnAccountToAnEndpointIsChargedToBoth() {
    KeyedLimiter<String> accounts = KeyedLimiter.builder("3/1m").within(api).build();
    KeyedLimiter<String> endpoints = KeyedLimiter.builder("4/1m").within(api).build();
    KeyedLimiter<Call> calls =
        KeyedLimiter.builder("unlimited")
            .within(accounts, Call::account)
            .within(endpoints, Call::endpoint)
            .build();
    assertEquals(3, takeAll(calls.limiter(new Call("a", "x"))));
    assertEquals(0, takeAll(calls.limiter(new Call("a", "y"))));
    assertEquals(1, takeAll(calls.limiter(new Call("b", "x"))), "four to x, less three");
    assertEquals(2, takeAll(accounts.limiter("b")));
    assertEquals(4, takeAll(endpoints.limiter("y")), "refused calls have cost nothing");
    time.advance(Duration.ofMinutes(3));
    assertEquals(0, calls.size() + accounts.size() + endpoints.size());
  }

  @Test
  void callThatWaitsForOneKindHoldsUpNoneOfTheOther() {
    KeyedLimiter<String> accounts = KeyedLimiter.builder("1/1s").within(api).build();
    KeyedLimiter<String> endpoints = KeyedLimiter.builder("1/1h").within(api).build();
    KeyedLimiter<Call> calls =
        KeyedLimiter.builder("unlimited")
            .within(accounts, Call::account)
            .within(endpoints, Call::endpoint)
            .build();
    for (var call : List.of(new Call("a", "x"), new Call("a", "x"), new Call("a", "y"))) {
      send(calls.limiter(call), call.endpoint());
    }
    time.advance(Duration.ofSeconds(2));
    assertEquals(List.of("x", "y"), sent);
    time.advance(Duration.ofHours(1));
    assertEquals(List.of("x", "y", "x"), sent);
  }

  // ---- the outermost limiter

  @Test
  void hierarchyInALaneDrawsFromTheShareOfThatLane() {
    api =
        Limiter.builder("10/1m")
            .lane("gold", Share.weight(1).reserving(50))
            .lane("bronze", Share.weight(1))
            .time(time)
            .executor(Runnable::run)
            .build();
    teams = KeyedLimiter.builder("4/1m").within(api.lane("bronze")).build();
    users = users("3/1m");
    assertEquals(3, takeAll(users.limiter("a1")));
    assertEquals(1, takeAll(users.limiter("a2")), "four for the team, less three");
    assertEquals(1, takeAll(users.limiter("b1")), "half is reserved for gold");
    send("b1", "c1");
    send(api.lane("gold"), "gold");
    assertEquals(List.of("gold"), sent);
    time.advance(Duration.ofMinutes(1));
    assertEquals(List.of("gold", "b1", "c1"), sent);
  }

  @Test
  void outermostLimiterMayHaveASource() {
    api =
        Limiter.builder("3/1s")
            .source(new LocalSource())
            .time(time)
            .executor(Runnable::run)
            .build();
    teams = KeyedLimiter.builder("2/1s").within(api).build();
    users = users("1/1s");
    send("a1", "a2", "a3", "a1", "b1", "c1");
    assertEquals(List.of("a1", "a2", "b1"), sent);
    time.advance(Duration.ofSeconds(5));
    assertEquals(6, sent.size());
  }

  @Test
  void dryRunLetsAllThroughAndCountsWhatWouldHaveWaited() {
    make("1/1m", "1/1m", "1/1m");
    api.dryRun(true);
    send("a1", "a1", "a2", "b1");
    assertEquals(4, sent.size());
    assertEquals(2, teams.limiter("a").snapshot().wouldHaveWaited());
    assertEquals(3, api.snapshot().wouldHaveWaited());
  }

  // ---- building

  @Test
  void optionsOfTheOutermostLimiterAreRefused() {
    for (KeyedLimiter.Builder builder :
        List.of(
            KeyedLimiter.builder("3/1m").time(time),
            KeyedLimiter.builder("3/1m").within("9/1m"),
            KeyedLimiter.builder("3/1m").within(api),
            KeyedLimiter.builder("3/1m").source(new LocalSource()))) {
      KeyedLimiter.Within<String> within = builder.within(teams, this::team);
      assertThrows(IllegalStateException.class, within::build);
    }
  }

  @Test
  void groupsOfAnotherLimiterOrOfASourceAreRefused() {
    KeyedLimiter.Within<String> within = KeyedLimiter.builder("3/1m").within(teams, this::team);
    KeyedLimiter<String> other = KeyedLimiter.of("3/1m");
    var mixed =
        assertThrows(IllegalArgumentException.class, () -> within.within(other, user -> user));
    assertEquals(
        "all keyed limiters given to within must be within one limiter, in one lane of it:"
            + " 3/1m per key is not api",
        mixed.getMessage());
    KeyedLimiter<String> fed =
        KeyedLimiter.builder(Limits.parse("3/1m")).within(api).source(new LocalSource()).build();
    assertThrows(IllegalArgumentException.class, () -> within.within(fed, user -> user));
  }
}
