package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The scripts do what their {@link StoreTwin} does. */
class StoreTwinTest {

  /** The server's clock and names, as the test sets them. */
  private static final String SERVER =
      """
      local server = redis.call('HMGET', KEYS[4], 'wall', 'run', 'replication', 'earlier')

      local function wall()
        return tonumber(server[1])
      end

      local function identity()
        return server[2], server[3], server[4]
      end

      """;

  private static final List<Report.Kind> KINDS = List.of(Report.Kind.values());

  private static final List<String> LIMITS =
      List.of(
          "peer(10/1s, unanswered=300ms)",
          "peer(25/1s, unanswered=300ms)",
          "100/1s",
          "peer(7/100ms, unanswered=50ms)",
          "peer(40/10s, unanswered=1s)",
          "3/2s");

  @Test
  void theScriptsDoWhatTheTwinDoes() throws Exception {
    compare(Version.V6_2, 2_000);
  }

  @Test
  @Tag("slow")
  void theScriptsDoWhatTheTwinDoesForManySteps() throws Exception {
    compare(Version.V6_2, 30_000);
  }

  @Test
  @Tag("servers")
  void theScriptsOnRedis7DoWhatTheTwinDoes() throws Exception {
    compare(Version.V7, 100_000);
  }

  private static void compare(Version version, int steps) throws Exception {
    long seed = System.nanoTime();
    try (var server = RedisServer.start(version)) {
      RedisClient client = RedisClient.create(server.uri());
      try (var connection = client.connect()) {
        var script = new Steps(connection.sync(), seed);
        for (int i = 0; i < steps; i++) {
          script.step(i);
        }
      } finally {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
      }
    }
  }

  /** Random steps, the same for both. */
  private static final class Steps {
    private final RedisCommands<String, String> redis;
    private final long seed;
    private final Random random;
    private final Script acquire = Script.load(SERVER, "acquire");
    private final Script change = Script.load(SERVER, "change");
    private final StoreTwin twin = new StoreTwin();
    private final List<Clients> clients = new ArrayList<>();
    private Terms terms = terms(LIMITS.get(0));
    private int changes;
    private int servers;

    /** What one client has been granted and may report, and its last request. */
    private static final class Clients {
      final String name;
      final List<String> leases = new ArrayList<>();
      final List<Long> left = new ArrayList<>();
      long number;
      String epoch = "";
      String revision = "";

      Clients(String name) {
        this.name = name;
      }
    }

    Steps(RedisCommands<String, String> redis, long seed) {
      this.redis = redis;
      this.seed = seed;
      this.random = new Random(seed);
      twin.wall = 1_790_000_000_000_000L;
      for (int i = 0; i < 4; i++) {
        clients.add(new Clients("client" + i));
      }
    }

    private static Terms terms(String limit) {
      return Terms.of(Limits.parse(limit), Duration.ZERO);
    }

    void step(int index) {
      twin.wall += random.nextInt(20) == 0 ? random.nextLong(3_000_000) : random.nextLong(30_000);
      int kind = random.nextInt(1000);
      if (kind < 970) {
        acquire(index);
      } else if (kind < 985) {
        change(index);
      } else {
        disturb();
      }
      assertTrue(twin.hasAllUnits(), () -> "step " + index + ", seed " + seed);
      if (index % 50 == 0) {
        assertEquals(units(), twin.units(), () -> "units, step " + index + ", seed " + seed);
      }
    }

    private void acquire(int index) {
      Clients client = clients.get(random.nextInt(clients.size()));
      boolean again = random.nextInt(10) == 0;
      long want = random.nextInt(3) == 0 ? 0 : random.nextInt((int) terms.permits() + 2);
      var request =
          new Request(
              again ? client.number : ++client.number,
              want,
              random.nextInt(4) == 0 ? want : Math.min(want, 1),
              random.nextInt(2) == 0 ? 0 : random.nextInt(6),
              client.epoch,
              random.nextInt(300) == 0 ? "the store's clock was set forward" : "",
              client.revision,
              reports(client));
      boolean fresh = random.nextInt(3) == 0;
      Reply expected = twin.acquire(client.name, request, terms, fresh);
      Reply reply =
          run(
              acquire,
              ScriptArguments.acquire(client.name, request, terms, fresh).toArray(String[]::new));
      assertEquals(expected, reply, () -> "step " + index + ", seed " + seed + ": " + request);
      client.epoch = reply.epoch();
      client.revision = random.nextInt(9) == 0 ? "" : reply.revision();
      for (int i = 0; i < reply.grants().size(); i++) {
        client.leases.add(request.number() + "." + i);
        client.left.add(reply.grants().get(i).units());
      }
    }

    private List<Report> reports(Clients client) {
      var reports = new ArrayList<Report>();
      for (int i = client.leases.size() - 1; i >= 0 && reports.size() < 5; i--) {
        if (random.nextInt(3) == 0) {
          reports.add(report(client, i));
        }
      }
      return reports;
    }

    private Report report(Clients client, int index) {
      var kind = KINDS.get(random.nextInt(KINDS.size()));
      String lease = client.leases.get(index);
      long left = client.left.get(index);
      if (kind == Report.Kind.ENDED || kind == Report.Kind.UNUSED) {
        left = random.nextLong(left + 1);
        client.left.set(index, left);
      }
      long instant = kind == Report.Kind.ENDED ? twin.wall + random.nextLong(400_000) - 300_000 : 0;
      if (left == 0 || random.nextInt(20) == 0) {
        client.leases.remove(index);
        client.left.remove(index);
      }
      return new Report(lease, left, kind, instant);
    }

    private void change(int index) {
      Terms next = terms(LIMITS.get(random.nextInt(LIMITS.size())));
      String name = "change" + (random.nextInt(4) == 0 ? changes : ++changes);
      String revision = clients.get(0).revision;
      Reply expected = twin.change(name, revision, terms, next);
      Reply reply =
          run(change, ScriptArguments.change(name, revision, terms, next).toArray(String[]::new));
      assertEquals(expected, reply, () -> "step " + index + ", seed " + seed + ": " + next);
      terms = next;
    }

    private void disturb() {
      switch (random.nextInt(9)) {
        case 0 -> {
          twin.forget();
          redis.flushall();
        }
        case 1 -> {
          twin.forget();
          redis.del(ScriptArguments.keys("x").get(0));
        }
        case 2 -> {
          twin.loseRuns();
          redis.del(ScriptArguments.keys("x").get(1));
        }
        case 3 -> {
          twin.loseLine();
          redis.del(ScriptArguments.keys("x").get(2));
        }
        case 4 -> twin.run = "run" + servers++;
        case 5 -> {
          twin.replication = "aa" + servers++;
          twin.earlier = random.nextBoolean() ? "000" : "00f";
        }
        case 6 -> twin.wall += 20_000_000;
        case 7 -> twin.wall -= 2_000_000;
        default -> twin.wall += 70_000_000;
      }
    }

    private Reply run(Script script, String[] arguments) {
      var keys = new ArrayList<>(ScriptArguments.keys("x"));
      keys.add("server");
      redis.hset("server", "wall", Long.toString(twin.wall));
      redis.hset("server", "run", twin.run);
      redis.hset("server", "replication", twin.replication);
      redis.hset("server", "earlier", twin.earlier);
      List<String> fields =
          redis.eval(
              script.source(), ScriptOutputType.MULTI, keys.toArray(String[]::new), arguments);
      return Reply.parse(fields);
    }

    /** Returns all units of the limit, as the server stores them. */
    private long units() {
      List<String> keys = ScriptArguments.keys("x");
      String free = redis.hget(keys.get(0), "free");
      long units = free == null ? 0 : Long.parseLong(free);
      for (String run : redis.zrange(keys.get(1), 0, -1)) {
        String in = redis.hget(keys.get(0), "u" + run);
        units += in == null ? 0 : Long.parseLong(in);
      }
      return units;
    }
  }
}
