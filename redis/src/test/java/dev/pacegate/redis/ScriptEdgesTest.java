package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import dev.pacegate.redis.Request.Demand;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls and stored values that are rare or wrong: no key is granted more by them. */
@Timeout(60)
class ScriptEdgesTest {

  private static final Script ACQUIRE = Script.load(StoreTwinTest.SERVER, "acquire");
  private static final Script CHANGE = Script.load(StoreTwinTest.SERVER, "change");
  private static final String FORWARD = "the store's clock was set forward";
  private static final String PERHAPS =
      "the store's clock was set forward, or that of a process back";

  private static RedisServer server;
  private static RedisClient client;
  private static RedisCommands<String, String> redis;

  private Terms terms = terms("peer(10/1s, unanswered=300ms)");
  private long wall;
  private String run;
  private long number;

  @BeforeAll
  static void start() throws Exception {
    server = RedisServer.start(Version.V6_2);
    client = RedisClient.create(server.uri());
    redis = client.connect().sync();
    redis.scriptLoad(ACQUIRE.source());
  }

  @AfterAll
  static void stop() throws Exception {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    server.close();
  }

  @BeforeEach
  void forget() {
    redis.flushall();
    wall = 1_790_000_000_000_000L;
    run = "a1";
  }

  @Test
  void oneOfTwoDoubtsEndsTheEpochThatItNames() {
    String before = greet("a").epoch();
    run = "a2";
    String epoch = greet("a").epoch();
    var late = entry("a", "late", before, FORWARD, List.of());
    var timely = entry("b", "timely", epoch, PERHAPS, List.of());
    assertEquals(PERHAPS, of(acquire(late, timely), 0).reason());
  }

  @Test
  void oneOfTwoDoubtsEndsTheEpochThatItNamesWhereItComesFirst() {
    String before = greet("a").epoch();
    run = "a2";
    String epoch = greet("a").epoch();
    var late = entry("a", "late", before, FORWARD, List.of());
    var timely = entry("b", "timely", epoch, PERHAPS, List.of());
    assertEquals(PERHAPS, of(acquire(timely, late), 0).reason());
  }

  @Test
  void ofTwoDoubtsOfAnEpochTheFirstIsTold() {
    String epoch = greet("a").epoch();
    var first = entry("a", "one", epoch, FORWARD, List.of());
    var second = entry("b", "two", epoch, PERHAPS, List.of());
    assertEquals(FORWARD, of(acquire(first, second), 0).reason());
  }

  /** The client tells of its units in use, and then, in the same call still, of their end. */
  @Test
  void unitsThatEndedByTheClockOfAnotherEpochFreeNothing() {
    String before = greet("a").epoch();
    run = "a2";
    Reply next = greet("a");
    wall += next.closedFor();
    var open = new Report(0, "7.0", 9, Report.Kind.ANEW, 0);
    var unused = new Report(0, "7.0", 0, Report.Kind.UNUSED, 0);
    acquire(
        entry("a", "client", before, "", List.of(open)),
        entry("a", "client", before, "", List.of(unused)));
    assertEquals(1, units(of(acquire(ask("a", "other", next.epoch(), 10)), 0)));
  }

  /** A report that was overtaken tells of more units than are left. */
  @Test
  void aReportThatComesLateTakesNothingBack() {
    String epoch = greet("a").epoch();
    acquire(ask("a", "client", epoch, 10));
    String lease = number + ".0";
    acquire(
        entry("a", "client", epoch, "", List.of(new Report(0, lease, 2, Report.Kind.UNUSED, 0))));
    acquire(
        entry("a", "client", epoch, "", List.of(new Report(0, lease, 6, Report.Kind.UNUSED, 0))));
    assertEquals(8, units(of(acquire(ask("a", "other", epoch, 8)), 0)));
    assertEquals(0, units(of(acquire(ask("a", "third", epoch, 1)), 0)));
  }

  @Test
  void aKeyThatComesTwiceInACallIsCountedOnce() {
    String epoch = greet("a").epoch();
    Replies replies = acquire(ask("a", "one", epoch, 6), ask("a", "two", epoch, 6));
    assertEquals(6, units(of(replies, 0)));
    assertEquals(4, units(of(replies, 1)));
  }

  /** The store's clock is set back; the record, which is seldom written, knows no later one. */
  @Test
  void aClockThatIsSetBackFreesNothing() {
    String epoch = greet("a").epoch();
    wall += 5_000_000;
    assertEquals(10, units(of(acquire(ask("a", "one", epoch, 10)), 0)));
    wall -= 5_000_000;
    Replies replies = acquire(ask("b", "two", epoch, 10), entry("a", "two", epoch, "", List.of()));
    assertEquals(10, units(of(replies, 0)));
    assertTrue(of(replies, 0).clock() < of(replies, 1).clock());
    wall += 5_000_000;
    assertEquals(0, units(of(acquire(ask("a", "one", epoch, 10)), 0)));
  }

  /** The key is not used between: half of a bucket is refilled when the other limit comes. */
  @Test
  void aBucketGoesOnWithWhatItLacksWhenItIsUsedAgain() {
    terms = terms("bucket(10/1s, burst=10)");
    String epoch = greet("a").epoch();
    acquire(ask("a", "one", epoch, 10));
    acquire(
        entry(
            "a",
            "one",
            epoch,
            "",
            List.of(new Report(0, number + ".0", 0, Report.Kind.ENDED, wall))));
    wall += 500_000;
    Terms next = terms("bucket(20/1s, burst=10)");
    List<String> change = ScriptArguments.change(revision, "secret", "", "", terms, next);
    String[] record = {Address.of("x").record()};
    List<Object> changed =
        redis.eval(CHANGE.source(), ScriptOutputType.MULTI, record, Store.withClaim(change));
    revision = of(new Replies(changed), 0).revision();
    assertEquals(5, units(of(acquire(ask("a", "two", epoch, 5)), 0)));
    assertEquals(0, units(of(acquire(ask("a", "three", epoch, 1)), 0)));
  }

  @Test
  void anEntryWithoutTermsFailsAlone() {
    String epoch = greet("a").epoch();
    var none = new Request(++number, List.of(), epoch, "", revision, List.of());
    Replies replies =
        acquire(ask("b", "two", epoch, 3), new StoreTwin.Entry("a", "one", none, null));
    assertEquals(3, units(of(replies, 0)));
    assertThrows(RedisCommandExecutionException.class, () -> of(replies, 1));
    assertEquals(0, redis.exists(key("a")));
  }

  /** Such an entry greets: it is told the limit of all. */
  @Test
  void anEntryOfKeysWithoutAKeyIsGrantedNothing() {
    String epoch = greet("a").epoch();
    List<String> arguments = arguments(List.of(ask("a", "one", epoch, 10)));
    String record = Address.of("x").record();
    List<Object> reply =
        redis.evalsha(
            ACQUIRE.digest(),
            ScriptOutputType.MULTI,
            new String[] {record},
            Store.withClaim(arguments));
    Reply told = of(new Replies(reply), 0);
    assertEquals(epoch, told.epoch());
    assertEquals(terms.limit().toString(), told.limit());
    assertEquals(0, units(told));
    assertEquals(List.of(record), redis.keys(record + "*"));
  }

  /** A list, a part of a state, and a state with a number that is none. */
  @Test
  void aKeyThatIsDamagedFailsAlone() {
    String epoch = greet("a").epoch();
    acquire(ask("a", "one", epoch, 3), ask("b", "one", epoch, 3), ask("c", "one", epoch, 3));
    redis.del(key("a"));
    redis.rpush(key("a"), "one");
    damage("b", "return string.sub(value, 1, -9) .. string.char(0x90)");
    damage(
        "c",
        """
        local values = cmsgpack.unpack(value)
        values[7][1][5] = 'three'
        return cmsgpack.pack(values)
        """);
    List<String> stored = List.of(redis.get(key("b")), redis.get(key("c")));
    Replies replies =
        acquire(
            ask("a", "two", epoch, 10),
            ask("b", "two", epoch, 10),
            ask("c", "two", epoch, 10),
            ask("d", "two", epoch, 10));
    for (int i = 0; i < 3; i++) {
      int entry = i;
      assertThrows(RedisCommandExecutionException.class, () -> of(replies, entry));
    }
    assertEquals(10, units(of(replies, 3)));
    assertEquals(stored, List.of(redis.get(key("b")), redis.get(key("c"))));
  }

  /** Numbers that no script writes: three of ten units are in use, whatever stands beside that. */
  @Test
  void numbersThatAreNoneOrHugeFreeNothing() {
    int units = 5;
    for (String number : List.of("0/0", "1/0", "1e300")) {
      for (int field : new int[] {1, 2, 3, units, units + 2}) {
        redis.flushall();
        String epoch = greet("a").epoch();
        acquire(ask("a", "one", epoch, 3));
        damage(
            "a",
            "local values = cmsgpack.unpack(value) values[7][1][%d] = %s return cmsgpack.pack(values)"
                .formatted(field, number));
        Replies replies = acquire(ask("a", "two", epoch, 10), ask("b", "two", epoch, 10));
        long granted = grantedOrFailed(replies, 0);
        assertTrue(granted <= (field == units ? 0 : 7), number + " at " + field + ": " + granted);
        assertEquals(10, units(of(replies, 1)));
      }
    }
  }

  private static long grantedOrFailed(Replies replies, int entry) {
    try {
      return units(of(replies, entry));
    } catch (RedisCommandExecutionException e) {
      return 0;
    }
  }

  private void damage(String key, String how) {
    String script = "local value = redis.call('GET', KEYS[1]) local function damaged() ";
    redis.eval(
        script + how + " end redis.call('SET', KEYS[1], damaged())",
        ScriptOutputType.STATUS,
        key(key));
  }

  private String revision = "";

  private static Terms terms(String limit) {
    return Terms.of(Limits.parse(limit), null);
  }

  private Reply greet(String key) {
    var none = new Request(++number, List.of(new Demand(0, 0, 0)), "", "", "", List.of());
    Reply reply = of(acquire(new StoreTwin.Entry(key, "greets", none, null)), 0);
    revision = reply.revision();
    return reply;
  }

  private StoreTwin.Entry ask(String key, String client, String epoch, long want) {
    var request =
        new Request(++number, List.of(new Demand(want, 1, 0)), epoch, "", revision, List.of());
    return new StoreTwin.Entry(key, client, request, null);
  }

  private StoreTwin.Entry entry(
      String key, String client, String epoch, String distrust, List<Report> reports) {
    var request =
        new Request(++number, List.of(new Demand(0, 0, 0)), epoch, distrust, revision, reports);
    return new StoreTwin.Entry(key, client, request, null);
  }

  private List<String> arguments(List<StoreTwin.Entry> entries) {
    List<String> arguments = ScriptArguments.common(terms, true, false, "secret", "");
    for (StoreTwin.Entry each : entries) {
      arguments.addAll(ScriptArguments.entry(each.client(), each.request(), each.offset()));
    }
    return arguments;
  }

  private Replies acquire(StoreTwin.Entry... entries) {
    redis.hset(
        "server",
        Map.of(
            "wall", Long.toString(wall),
            "run", run,
            "replication", run,
            "earlier", "00",
            "evicted", "0",
            "commands", "0",
            "evicts", "false",
            "uptime", "1000000000000",
            "replicas", ""));
    var keys = new ArrayList<>(List.of(Address.of("x").record()));
    List.of(entries).forEach(each -> keys.add(key(each.key())));
    return new Replies(
        redis.<List<Object>>evalsha(
            ACQUIRE.digest(),
            ScriptOutputType.MULTI,
            keys.toArray(String[]::new),
            Store.withClaim(arguments(List.of(entries)))));
  }

  private static String key(String key) {
    return new Address("x", key, "secret").keys().get(1);
  }

  private static Reply of(Replies replies, int entry) {
    return replies.of(entry, 1);
  }

  private static long units(Reply reply) {
    return reply.grants().stream()
        .filter(grant -> grant.from() <= reply.clock())
        .mapToLong(grant -> grant.units().get(0))
        .sum();
  }
}
