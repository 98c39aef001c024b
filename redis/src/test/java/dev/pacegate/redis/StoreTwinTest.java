package dev.pacegate.redis;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import dev.pacegate.redis.Request.Demand;
import dev.pacegate.redis.StoreTwin.Listed;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The scripts do what their {@link StoreTwin} does. */
class StoreTwinTest {

  /** The server's clock and names, as the test sets them. */
  static final String SERVER =
      """
      local server = redis.call(
        'HMGET', 'server', 'wall', 'run', 'replication', 'earlier', 'evicted', 'commands', 'evicts', 'replicas', 'was',
        'uptime')

      local function wall()
        return tonumber(server[1])
      end

      local function identity()
        local replicas = {}
        for name, online, lag in string.gmatch(server[8] or '', '(%S+) (%a+) (%d+);') do
          replicas[#replicas + 1] = {name = name, online = online == 'true', lag = tonumber(lag)}
        end
        return server[2], server[3], server[4], replicas
      end

      local function node()
        return nil
      end

      local function uptime()
        return tonumber(server[10])
      end

      local function was_replica()
        return server[9] == 'true'
      end

      local function statistics()
        return {evicted = tonumber(server[5]), commands = tonumber(server[6])}
      end

      local function may_evict()
        return server[7] == 'true'
      end

      local function set_for(key, value, micros)
        redis.call('SET', key, value)
        redis.call('HSET', 'lives', key, string.format('%.0f', micros))
      end

      """;

  private static final String UNREADABLE = "is not a record of this version of Pacegate";
  private static final List<String> DOUBTS =
      List.of(
          "the store's clock was set forward",
          "the store's clock was set forward, or that of a process back");
  private static final List<String> REPLICAS = List.of("10.0.0.2:6379", "10.0.0.3:6379");

  private static final int ERA = 50; // steps

  private static final Tags TAGS = new Tags("x", 2);
  private static final String TAG = "x of the second tag";

  private static final List<Report.Kind> KINDS = List.of(Report.Kind.values());

  private static final List<String> LIMITS =
      List.of(
          "peer(10/1s, unanswered=300ms)",
          "peer(25/1s, unanswered=300ms)",
          "100/1s",
          "peer(7/100ms, unanswered=50ms)",
          "peer(40/10s, unanswered=1s)",
          "3/2s",
          "bucket(7/1s, burst=7)",
          "peer(bucket(7/100ms, burst=3), unanswered=50ms)",
          "spacing(30ms)",
          "concurrent(9, unanswered=200ms)",
          "peer(10/1s, unanswered=300ms) & peer(40/10s, unanswered=1s)",
          "bucket(30/1s, burst=10) & concurrent(5, unanswered=200ms) & 100/10s",
          "9/1s & peer(3000/10s of tokens, unanswered=100ms)");

  private static final StoreTwin.Pace CROWD = new StoreTwin.Pace(60_000, 2_000);

  @Test
  void theScriptsDoWhatTheTwinDoes() throws Exception {
    compare(Version.V6_2, 4_800);
  }

  @Test
  void aTwinThatMixesTheKeysOfACallIsFound() {
    assertThrows(
        AssertionError.class, () -> compare(Version.V6_2, 16_000, StoreTwin.Mutant.KEY_BEFORE));
  }

  /** Four clients are a crowd to scripts to which a call takes a hundred times as long. */
  @Test
  void theScriptsDoWhatTheTwinDoesInACrowd() throws Exception {
    compare(Version.V6_2, 4_000, StoreTwin.Mutant.NONE, CROWD, CROWD);
  }

  @Test
  void aTwinThatOverlooksACrowdIsFound() {
    assertThrows(
        AssertionError.class,
        () -> compare(Version.V6_2, 16_000, StoreTwin.Mutant.NONE, CROWD, StoreTwin.Pace.USUAL));
  }

  @Test
  @Tag("slow")
  void theScriptsDoWhatTheTwinDoesForManySteps() throws Exception {
    compare(Version.V6_2, 20_000);
  }

  @Test
  @Tag("servers")
  void theScriptsOnRedis7DoWhatTheTwinDoes() throws Exception {
    compare(Version.V7, 20_000);
  }

  @Test
  @Tag("heavy")
  void theScriptsOnRedis7DoWhatTheTwinDoesForManySteps() throws Exception {
    compare(Version.V7, 100_000);
  }

  private static void compare(Version version, int steps) throws Exception {
    compare(version, steps, StoreTwin.Mutant.NONE);
  }

  private static void compare(Version version, int steps, StoreTwin.Mutant mutant)
      throws Exception {
    compare(version, steps, mutant, StoreTwin.Pace.USUAL, StoreTwin.Pace.USUAL);
  }

  private static void compare(
      Version version,
      int steps,
      StoreTwin.Mutant mutant,
      StoreTwin.Pace pace,
      StoreTwin.Pace paceOfTwin)
      throws Exception {
    long seed = Long.getLong("pacegate.seed", System.nanoTime());
    try (var server = RedisServer.start(version)) {
      RedisClient client = RedisClient.create(server.uri());
      try (var connection = client.connect()) {
        for (Names names : Names.values()) {
          for (Duration partition : Arrays.asList(null, Duration.ZERO)) {
            connection.sync().flushall();
            var script = new Steps(connection.sync(), seed, names, partition, pace);
            script.twin.mutant = mutant;
            script.twin.pace = paceOfTwin;
            for (int i = 0; i < steps / 8; i++) {
              script.step(i);
            }
            if (names != Names.WITHOUT_KEYS) {
              script.assertTookTheShortWay(steps / 6);
            }
          }
        }
      } finally {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
      }
    }
  }

  /** What the server knows. */
  private enum Names {
    WITHOUT_KEYS,
    OF_KEYS,
    /** Two names: each request needs a unit of its key, and one of the limit for all keys. */
    WITHIN_ONE_FOR_ALL,
    /** Two tags, each with keys of its own. */
    SPREAD
  }

  /** What one client has been granted and may report, and its last request. */
  private static final class Client {
    final String limit; // its name
    final String key;
    final String name;
    final List<String> leases = new ArrayList<>();
    final List<List<Long>> left = new ArrayList<>();
    long number;
    String epoch = "";
    String revision = "";
    Terms terms;

    Client(String limit, String key, String name, Terms terms) {
      this.limit = limit;
      this.key = key;
      this.name = name;
      this.terms = terms;
    }
  }

  /** Random steps, the same for both. */
  private static final class Steps {
    private final RedisCommands<String, String> redis;
    private final long seed;
    private final Random random;
    private final Script acquire;
    private final Script change = Script.load(SERVER, "change");
    private final Script control = Script.load(SERVER, "control");
    private final StoreTwin twin = new StoreTwin();
    private final List<Client> clients = new ArrayList<>();
    private final @Nullable Duration partition;
    private final boolean isSpread;
    private @Nullable Terms calm; // in a calm era the limit in force
    private String replaced = "";
    private boolean isDoubting; // whether clients of a call distrust the store's clock
    private long ended; // what was told to have ended last
    private int servers;
    private int shortOfKnown;
    private int shortOfNew;

    Steps(
        RedisCommands<String, String> redis,
        long seed,
        Names names,
        @Nullable Duration partition,
        StoreTwin.Pace pace) {
      this.acquire = counting(paced(Script.load(SERVER, "acquire"), pace));
      this.redis = redis;
      this.partition = partition;
      this.isSpread = names == Names.SPREAD;
      this.seed = seed;
      this.random = new Random(seed);
      List.of(acquire, change, control, StoredTexts.READ)
          .forEach(script -> redis.scriptLoad(script.source()));
      twin.wall = 1_790_000_000_000_000L;
      for (int i = 0; i < (names == Names.WITHOUT_KEYS ? 4 : 8); i++) {
        String key = names == Names.WITHOUT_KEYS ? "" : "key" + i / 2;
        String tag = names == Names.SPREAD && i / 2 == 1 ? TAG : "x";
        clients.add(new Client(tag, key, "client" + i, terms(LIMITS.get(0))));
        if (names == Names.WITHIN_ONE_FOR_ALL) {
          clients.add(new Client("all", "", "client" + i, terms(LIMITS.get(1))));
        }
      }
    }

    private static Script paced(Script script, StoreTwin.Pace pace) {
      assertTrue(script.source().contains(pace(StoreTwin.Pace.USUAL)));
      return Script.of(script.source().replace(pace(StoreTwin.Pace.USUAL), pace(pace)));
    }

    private static String pace(StoreTwin.Pace pace) {
      return "CALL, EACH = " + pace.call() + ", " + pace.each() + " ";
    }

    /** Returns a script that counts how often it takes the short way, by whether the key is new. */
    private static Script counting(Script script) {
      String end = "      ways.answer(reply)\n";
      assertTrue(script.source().contains(end));
      String count =
          """
                elseif KEY then
                  redis.call('INCR', redis.call('GET', KEY) and 'short of known' or 'short of new')
          """;
      return Script.of(script.source().replace(end, end + count));
    }

    /** So many of a thousand steps went the short way, or a difference might be missed. */
    void assertTookTheShortWay(int steps) {
      count();
      assertTrue(1000 * shortOfKnown >= 40 * steps, () -> shortOfKnown + " of known keys");
      assertTrue(1000 * shortOfNew >= 4 * steps, () -> shortOfNew + " of new keys");
    }

    private void count() {
      shortOfKnown += taken("short of known");
      shortOfNew += taken("short of new");
    }

    private int taken(String counter) {
      String count = redis.getdel(counter);
      return count == null ? 0 : Integer.parseInt(count);
    }

    private void flush() {
      count();
      redis.flushall();
    }

    /** The state of a key is gone, as if it had been at rest. */
    private void rest() {
      Client client = clients.get(random.nextInt(clients.size()));
      if (!client.key.isEmpty() && !twin.unreadable.contains(client.key)) {
        twin.at(client.limit);
        if (twin.stored != null) {
          twin.stored.states.remove(client.key);
        }
        redis.del(address(client).keys().get(1));
      }
    }

    /** Returns a client; the twin looks at its limit. */
    private Client client() {
      Client client = clients.get(random.nextInt(clients.size()));
      twin.at(client.limit);
      return client;
    }

    private Terms terms(String limit) {
      return Terms.of(Limits.parse(limit), partition);
    }

    /**
     * In every other era a limit is new, and all that happens is that its clients call, and once
     * that another takes its place: so each is in force for keys for a while, and most calls find
     * what they ask for.
     */
    private void begin(int era) {
      calm = era % 2 == 0 ? terms(LIMITS.get(random.nextInt(LIMITS.size()))) : null;
      if (calm != null) {
        twin.forget();
        flush();
        twin.listed = List.of();
        for (Client each : clients) {
          each.terms = calm;
        }
      }
    }

    /** All keys go on under another limit, each when it is next used. */
    private void replaceCalm(int index) {
      Client client = client();
      if (ofKey(client.key) && twin.stored != null) {
        replaced = Long.toString(twin.stored.law.revision());
        change(index, client, StoreTwin.ALL_KEYS, replaced);
        calm = twin.stored.law.terms();
      }
    }

    /** In a calm era a fence is soon over. */
    private void passFence(Client client) {
      StoredLimit stored = twin.at(client.limit).stored;
      if (calm != null && stored != null && stored.closed > twin.wall && random.nextInt(3) == 0) {
        twin.wall = stored.closed + random.nextLong(200_000);
      }
    }

    void step(int index) {
      if (index % ERA == 0) {
        begin(index / ERA);
      } else if (calm != null && index % ERA == ERA / 2) {
        replaceCalm(index);
      }
      twin.wall += random.nextInt(20) == 0 ? random.nextLong(3_000_000) : random.nextLong(30_000);
      twin.commands += random.nextInt(3);
      if (random.nextInt(20) == 0) {
        rest();
      }
      int kind = random.nextInt(1000);
      if (calm != null || kind < 940) {
        acquire(index);
      } else if (kind < 952) {
        change(index);
      } else if (kind < 972) {
        control(index);
      } else if (kind < 977) {
        replicas();
      } else if (kind < 990) {
        promote();
      } else {
        disturb();
      }
    }

    private void acquire(int index) {
      List<Client> called = callers();
      Client first = called.get(0);
      passFence(first);
      Terms all = all(first);
      boolean fresh = random.nextInt(3) == 0;
      isDoubting = calm == null && random.nextInt(200) == 0;
      twin.durable ^= random.nextInt(200) == 0;
      List<StoreTwin.Entry> entries = called.stream().map(this::entry).toList();
      String check = address(first).check();
      List<String> arguments = ScriptArguments.common(all, fresh, twin.durable, check, "");
      for (StoreTwin.Entry each : entries) {
        arguments.addAll(ScriptArguments.entry(each.client(), each.request(), each.offset()));
      }
      boolean asks = twin.asks();
      List<@Nullable Reply> expected;
      try {
        expected = twin.acquire(entries, all, fresh);
      } catch (StoreTwin.AwayException e) {
        assertRefuses(e.getMessage(), () -> run(acquire, keys(called), asks, arguments));
        assertStoresTheSame(index, first, called);
        return;
      }
      Replies replies = run(acquire, keys(called), asks, arguments);
      assertEquals(expected.size(), replies.size());
      for (int i = 0; i < expected.size(); i++) {
        heard(index, called.get(i), entries.get(i).request(), expected.get(i), replies, i);
      }
      assertStoresTheSame(index, first, called);
    }

    /** What is stored is the same too, so that no difference waits for a call that shows it. */
    private void assertStoresTheSame(int index, Client first, List<Client> called) {
      List<String> keys = called.isEmpty() ? ofAll(first).keys() : List.of(keys(called));
      List<String> names = called.stream().map(each -> each.key).toList();
      assertEquals(
          String.join("\n", StoredTexts.inTwin(twin, names)),
          String.join("\n", StoredTexts.inRedis(redis, keys)),
          () -> at(index));
    }

    /** Returns one client, or several that use keys of the same name, in any order. */
    private List<Client> callers() {
      Client first = client();
      int others = first.key.isEmpty() || random.nextInt(3) > 0 ? 0 : 1 + random.nextInt(3);
      var called = new ArrayList<Client>();
      called.add(first);
      while (called.size() <= others) {
        Client next = clients.get(random.nextInt(clients.size()));
        if (next.limit.equals(first.limit)) {
          called.add(next);
        }
      }
      return called;
    }

    private StoreTwin.Entry entry(Client client) {
      boolean again = random.nextInt(10) == 0;
      var request =
          new Request(
              again ? client.number : ++client.number,
              demands(client.terms),
              client.epoch,
              isDoubting && random.nextInt(3) > 0 ? DOUBTS.get(random.nextInt(2)) : "",
              client.revision,
              reports(client));
      Long offset = random.nextInt(5) == 0 ? null : Long.valueOf(random.nextLong(30_000_000));
      return new StoreTwin.Entry(client.key, client.name, request, offset);
    }

    private void heard(
        int index,
        Client client,
        Request request,
        @Nullable Reply expected,
        Replies replies,
        int entry) {
      int terms = request.demands().size();
      if (expected == null) {
        assertRefuses(UNREADABLE, () -> replies.of(entry, terms));
        return;
      }
      Reply reply = assertDoesNotThrow(() -> replies.of(entry, terms), () -> at(index));
      assertEquals(
          expected,
          reply,
          () -> at(index) + ", entry " + entry + " of " + replies + ": " + request);
      client.epoch = reply.epoch();
      client.revision = reply.revision();
      if (!reply.limit().isEmpty()) {
        client.terms = terms(reply.limit());
      }
      int last = reply.grants().size() - 1;
      for (int i = 0; i <= last; i++) {
        client.leases.add(request.number() + "." + (last - i));
        client.left.add(new ArrayList<>(reply.grants().get(i).units()));
      }
    }

    private String at(int index) {
      return "step " + index + ", seed " + seed;
    }

    private static void assertRefuses(@Nullable String words, Executable call) {
      var failure = assertThrows(RedisCommandExecutionException.class, call);
      assertTrue(("" + failure.getMessage()).contains("" + words), failure::toString);
    }

    // A client of a key may know another limit of all keys than its own.
    private Terms all(Client client) {
      if (client.key.isEmpty()) {
        return client.terms;
      }
      return calm == null ? terms(LIMITS.get(random.nextInt(2))) : calm;
    }

    private List<Demand> demands(Terms terms) {
      var demands = new ArrayList<Demand>();
      boolean idle = random.nextInt(3) == 0;
      long calls = random.nextInt(4) > 0 ? 1 + random.nextLong(2) : 1 + random.nextLong(12);
      for (Term term : terms.terms()) {
        long each = term.measure().name() == null ? 1 : 1 + random.nextLong(200);
        long want = idle ? 0 : Math.min(term.capacity(), calls * each);
        demands.add(
            new Demand(want, least(want, each), random.nextInt(2) == 0 ? 0 : random.nextInt(6)));
      }
      return demands;
    }

    /** Mostly what one call needs; seldom more than is wanted, which is never granted. */
    private long least(long want, long each) {
      int kind = random.nextInt(40);
      return kind == 0 ? want + 1 : kind < 10 ? want : Math.min(want, each);
    }

    private List<Report> reports(Client client) {
      var reports = new ArrayList<Report>();
      for (int i = client.leases.size() - 1; i >= 0 && reports.size() < 5; i--) {
        if (random.nextInt(3) == 0) {
          reports.add(report(client, i));
        }
      }
      return reports;
    }

    private Report report(Client client, int index) {
      var kind = KINDS.get(random.nextInt(calm == null ? KINDS.size() : 2)); // over, or unused
      String lease = client.leases.get(index);
      List<Long> all = client.left.get(index);
      int term = random.nextInt(Math.min(all.size(), client.terms.terms().size()));
      long left = all.get(term);
      if (kind == Report.Kind.ENDED || kind == Report.Kind.UNUSED) {
        left = random.nextLong(left + 1);
        all.set(term, left);
      }
      if (random.nextInt(3) > 0) {
        ended = twin.wall + random.nextLong(400_000) - 300_000;
      }
      long instant = kind == Report.Kind.ENDED ? ended : 0;
      if (all.stream().allMatch(each -> each == 0) || random.nextInt(20) == 0) {
        client.leases.remove(index);
        client.left.remove(index);
      }
      return new Report(term, lease, left, kind, instant);
    }

    // Some looks are followed by a change at once, some by one that comes too late.
    private void change(int index) {
      Client client = client();
      if (twin.unreadable.contains(client.key)) {
        return;
      }
      boolean ofAll = !client.key.isEmpty() && random.nextInt(3) == 0;
      String key = ofAll ? StoreTwin.ALL_KEYS : client.key;
      Reply look = change(index, client, key, random.nextInt(3) == 0 ? replaced : "");
      if (look != null) {
        replaced = look.revisionToReplace(ofKey(key));
        if (random.nextInt(3) > 0) {
          change(index, client, key, replaced);
        }
      }
    }

    /** Returns the reply; null if a replica is away. */
    private @Nullable Reply change(int index, Client client, String key, String replaced) {
      Terms terms = all(client);
      Terms next = next(terms);
      boolean asks = twin.asks();
      Address address = ofKey(key) ? address(client) : ofAll(client);
      List<String> arguments =
          ScriptArguments.change(replaced, address.check(), "", "", terms, next);
      Reply expected;
      try {
        expected = twin.change(key, replaced, terms, next);
      } catch (StoreTwin.AwayException e) {
        assertRefuses(e.getMessage(), () -> run(change, keys(address), asks, arguments));
        return null;
      }
      Reply reply = run(change, keys(address), asks, arguments).of(0, 0);
      assertEquals(expected, reply, () -> at(index) + ": " + next);
      assertStoresTheSame(index, client, key.equals(client.key) ? List.of(client) : List.of());
      return reply;
    }

    /** Returns a limit of which, mostly, a term goes on with what one in force has counted. */
    private Terms next(Terms known) {
      Terms before = twin.stored == null ? known : twin.stored.law.terms();
      Terms next = before;
      for (int i = 0; i < 4; i++) {
        next = terms(LIMITS.get(random.nextInt(LIMITS.size())));
        if (next.terms().stream().anyMatch(to -> before.terms().stream().anyMatch(to::follows))) {
          return next;
        }
      }
      return next;
    }

    private static boolean ofKey(String key) {
      return !key.isEmpty() && !key.equals(StoreTwin.ALL_KEYS);
    }

    private void control(int index) {
      Client client = client();
      if (twin.stored == null) {
        return;
      }
      String what = List.of("pause", "resume", "unfence", "forget").get(random.nextInt(4));
      String value =
          what.equals("forget")
              ? twin.stored.replicas.stream().findFirst().orElse("")
              : Long.toString(random.nextLong(2_000_000));
      boolean asks = twin.asks();
      if (value.isEmpty() || (asks && what.equals("forget"))) {
        return; // which there are is decided first
      }
      Reply expected = twin.control(!client.key.isEmpty(), what, value, "why");
      Address address = ofAll(client);
      Reply reply =
          run(
                  control,
                  keys(address),
                  asks,
                  List.of(address.check(), "who", "why", what, what.equals("unfence") ? "" : value))
              .of(0, 0);
      assertEquals(expected, reply, () -> at(index) + ": " + what);
      assertStoresTheSame(index, client, client.key.isEmpty() ? List.of(client) : List.of());
    }

    /** Another set of replicas, mostly all that there ever were. */
    private void replicas() {
      int kind = random.nextInt(6);
      var listed = new ArrayList<Listed>();
      for (String name : REPLICAS) {
        boolean mayBeAway = kind == 0;
        if (kind != 1 && (!mayBeAway || random.nextInt(4) > 0)) {
          boolean online = !mayBeAway || random.nextInt(4) > 0;
          listed.add(new Listed(name, online, mayBeAway ? random.nextInt(6) : 1));
        }
      }
      if (random.nextInt(8) == 0) {
        listed.add(new Listed(REPLICAS.get(0), true, 0)); // its earlier connection
      }
      twin.listed = List.copyOf(listed);
      if (kind == 2) {
        twin.listed = List.of();
        twin.forget();
        flush();
      }
    }

    /** A replica takes over, perhaps one that is named, at an address that is seen, or not. */
    private void promote() {
      boolean isDirect = random.nextInt(4) > 0;
      twin.address = isDirect ? REPLICAS.get(random.nextInt(REPLICAS.size())) : "a proxy";
      twin.wasReplica = random.nextInt(4) > 0;
      twin.uptime = random.nextInt(4) > 0 ? 1_000_000_000_000L : random.nextInt(60_000_000);
      twin.run = "run" + servers++;
      twin.earlier = random.nextInt(4) > 0 ? twin.replication : "00f";
      twin.replication = "aa" + servers++;
      twin.listed = twin.listed.stream().filter(each -> !each.name().equals(twin.address)).toList();
    }

    private void disturb() {
      switch (random.nextInt(10)) {
        case 0 -> {
          twin.forget();
          flush();
        }
        case 1 -> forget(client().limit);
        case 2 -> {
          if (!clients.get(0).key.isEmpty()) {
            twin.at(clients.get(0).limit).evict(clients.get(0).key);
            redis.del(address(clients.get(0)).keys().get(1));
          }
        }
        case 3 -> {
          twin.run = "run" + servers++;
          twin.evicted = random.nextInt(2);
          if (random.nextBoolean()) {
            twin.replication = "aa" + servers;
            twin.earlier = random.nextBoolean() ? "000" : "00f";
          }
        }
        case 4 -> {
          twin.replication = "aa" + servers++;
          twin.earlier = random.nextBoolean() ? "000" : "00f";
        }
        case 8 -> spoil();
        case 5 -> twin.wall += 20_000_000;
        case 6 -> twin.wall -= 2_000_000;
        case 7 -> {
          twin.evicts = random.nextBoolean();
          twin.evicted = random.nextInt(2);
          twin.commands = 0;
        }
        default -> twin.wall += 70_000_000;
      }
    }

    /** Another program writes to a key, or a person deletes what it wrote. */
    private void spoil() {
      Client client = clients.get(0);
      if (client.key.isEmpty()) {
        return;
      }
      String key = address(client).keys().get(1);
      redis.del(key);
      twin.at(client.limit).unreadable.clear();
      if (twin.stored != null) {
        twin.stored.states.remove(client.key);
      }
      if (random.nextInt(3) > 0) {
        twin.unreadable.add(client.key);
        redis.set(key, "of another program");
      }
    }

    /** One name is gone, the other stays. */
    private void forget(String limit) {
      twin.at(limit).stored = null;
      for (Client each : clients) {
        if (each.limit.equals(limit)) {
          twin.unreadable.remove(each.key);
          redis.del(keys(address(each)));
        }
      }
    }

    private Address address(Client client) {
      if (isSpread) {
        int tag = client.limit.equals(TAG) ? 1 : 0;
        return new Address("x", tag, TAGS.record(tag), client.key, TAGS.check("secret"));
      }
      return client.key.isEmpty()
          ? Address.of(client.limit)
          : new Address(client.limit, client.key, "secret");
    }

    private Address ofAll(Client client) {
      Address of = address(client);
      return new Address(of.name(), of.tag(), of.record(), null, of.check());
    }

    private String[] keys(List<Client> called) {
      var keys = new ArrayList<>(address(called.get(0)).keys());
      called.stream().skip(1).forEach(each -> keys.add(address(each).keys().get(1)));
      return keys.toArray(String[]::new);
    }

    private static String[] keys(Address address) {
      return address.keys().toArray(String[]::new);
    }

    /** Runs a script, and answers if it asks for the address. */
    private Replies run(Script script, String[] keys, boolean asks, List<String> arguments) {
      String[] all = Store.withClaim(arguments);
      if (asks || random.nextInt(4) == 0) {
        all[0] = random.nextBoolean() ? "" : "another " + REPLICAS.get(0);
      }
      Replies replies = run(script, keys, all);
      assertEquals(asks ? twin.run : null, replies.asks());
      if (asks) {
        all[0] = twin.run + " " + twin.address;
        replies = run(script, keys, all);
      }
      return replies;
    }

    private Replies run(Script script, String[] keys, String... arguments) {
      redis.hset(
          "server",
          Map.of(
              "wall", Long.toString(twin.wall),
              "run", twin.run,
              "replication", twin.replication,
              "earlier", twin.earlier,
              "evicted", Long.toString(twin.evicted),
              "commands", Long.toString(twin.commands),
              "evicts", Boolean.toString(twin.evicts),
              "was", Boolean.toString(twin.wasReplica),
              "uptime", Long.toString(twin.uptime),
              "replicas", listed()));
      return new Replies(
          redis.<List<Object>>evalsha(script.digest(), ScriptOutputType.MULTI, keys, arguments));
    }

    private String listed() {
      return twin.listed.stream()
          .map(each -> each.name() + " " + each.online() + " " + each.lag() + ";")
          .collect(joining());
    }
  }
}
