package dev.pacegate.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.Limits;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Writes docs/measured/cluster-script-cost.md: what an entry of a call costs Redis. */
@Timeout(900)
class ScriptCostTest {

  private static final Path PAGE = Path.of("..", "docs", "measured", "cluster-script-cost.md");
  private static final int ENTRIES = Integer.getInteger("pacegate.entries", 50_000);
  private static final int USES = 5; // of a key that is in use
  private static final int UNDER_WAY = 64; // calls, in one pipeline
  private static final int[] BATCHES = {1, 8, 16, 32};
  private static final Terms OF_KEYS = Terms.of(Limits.parse("peer(10/30s)"), null);
  private static final Terms OF_ONE = Terms.of(Limits.parse("peer(100/1s)"), null);

  /** What is asked again and again. */
  private enum Use {
    NEW_KEYS("a permit of a new key"),
    USED_KEYS("a permit of a key in use, and a report"),
    NO_KEYS("a full limit without keys");

    final String words;

    Use(String words) {
      this.words = words;
    }

    Address address(int key) {
      return this == NO_KEYS ? Address.of("x") : new Address("x", "key" + key, "a check");
    }

    Terms terms() {
      return this == NO_KEYS ? OF_ONE : OF_KEYS;
    }
  }

  @Test
  @Tag("heavy")
  void writeThePage() throws Exception {
    var page = new StringBuilder(head());
    for (Version version : Version.values()) {
      for (Use use : Use.values()) {
        page.append("| ").append(version == Version.V7 ? "7" : "6.2").append(" | ");
        page.append(use.words);
        page.append(cell(measure(version, use, 0)));
        for (int batch : BATCHES) {
          page.append(batch > 1 && use == Use.NO_KEYS ? " | " : cell(measure(version, use, batch)));
        }
        page.append(" |\n");
      }
    }
    System.out.println(page);
    if (Boolean.getBoolean("pacegate.write")) {
      Files.writeString(PAGE, page);
    }
  }

  private static String cell(double micros) {
    return String.format(Locale.ROOT, " | %.1f", micros);
  }

  private static String head() {
    return String.format(
        Locale.ROOT,
        """
        # What a call costs Redis: figures

        Made by one run of `ScriptCostTest`: one connection sends %,d entries, %d calls at a time, and Redis tells how much CPU time it took for them (`used_cpu_user` and `used_cpu_sys`).
        The limit of keys is `%s`, that without keys `%s`. The columns are numbers of entries in a call, the cells microseconds for each entry.
        *Before* are the scripts that took one entry a call.

        | Redis | | before | 1 | 8 | 16 | 32 |
        |---|---|---|---|---|---|---|
        """,
        ENTRIES,
        UNDER_WAY,
        OF_KEYS.limit(),
        OF_ONE.limit());
  }

  /** Returns the microseconds of an entry; a batch of none stands for the scripts before. */
  private static double measure(Version version, Use use, int batch) throws Exception {
    try (var server = RedisServer.start(version)) {
      RedisClient client = RedisClient.create(server.uri());
      try (var connection = client.connect()) {
        var calls = new Calls(connection.async(), use, batch);
        calls.make(ENTRIES / 5); // the server is warm
        double before = cpu(server);
        calls.make(ENTRIES);
        return (cpu(server) - before) / ENTRIES * 1e6;
      } finally {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
      }
    }
  }

  private static double cpu(RedisServer server) throws IOException {
    return Double.parseDouble(requireNonNull(server.info("cpu", "used_cpu_user")))
        + Double.parseDouble(requireNonNull(server.info("cpu", "used_cpu_sys")));
  }

  /** Those of one connection. */
  private static final class Calls {
    private final RedisAsyncCommands<String, String> redis;
    private final Use use;
    private final int batch;
    private final Script script;
    private final String epoch;
    private final String revision;
    private final long clock;
    private final ArrayDeque<RedisFuture<List<Object>>> underWay = new ArrayDeque<>();
    private int entries;

    Calls(RedisAsyncCommands<String, String> redis, Use use, int batch) throws Exception {
      this.redis = redis;
      this.use = use;
      this.batch = batch;
      this.script = batch == 0 ? before() : Script.ACQUIRE;
      var unused = redis.scriptLoad(script.source());
      var none = new Request(1, List.of(new Request.Demand(0, 0, 0)), "", "", "", List.of());
      Address address = use.address(0);
      List<Object> reply =
          batch == 0
              ? call(address.keys(), argumentsBefore(address, none)).get()
              : call(address.keys(), arguments(address, List.of(none))).get();
      List<?> entry = batch == 0 ? List.of() : (List<?>) reply.get(reply.size() - 1);
      this.clock = Long.parseLong((batch == 0 ? reply : entry).get(0).toString());
      this.epoch = reply.get(batch == 0 ? 1 : 0).toString();
      this.revision = batch == 0 ? reply.get(2).toString() : entry.get(1).toString();
    }

    private static Script before() throws IOException {
      var source = new StringBuilder();
      for (String part : List.of("server", "record", "count", "acquire")) {
        try (var in = Script.class.getResourceAsStream("format3/" + part + ".lua")) {
          source.append(new String(requireNonNull(in).readAllBytes(), UTF_8));
        }
      }
      return Script.of(source.toString());
    }

    void make(int count) throws Exception {
      for (int made = 0; made < count; made += Math.max(1, batch)) {
        var keys = new ArrayList<String>();
        var requests = new ArrayList<Request>();
        for (int i = 0; i < Math.max(1, batch); i++) {
          int key = use == Use.USED_KEYS ? entries / (USES * 100) * 100 + entries % 100 : entries;
          Address address = use.address(key);
          keys.addAll(address.keys().subList(keys.isEmpty() ? 0 : 1, keys(address)));
          requests.add(request(entries / 100 % USES));
          entries++;
        }
        Address any = use.address(0);
        underWay.add(
            call(
                keys,
                batch == 0 ? argumentsBefore(any, requests.get(0)) : arguments(any, requests)));
        while (underWay.size() > UNDER_WAY) {
          check(underWay.remove().get(30, TimeUnit.SECONDS));
        }
      }
      while (!underWay.isEmpty()) {
        check(underWay.remove().get(30, TimeUnit.SECONDS));
      }
    }

    private static int keys(Address address) {
      return address.keys().size();
    }

    /** All are granted what they ask for, but of the limit without keys. */
    private void check(List<Object> reply) {
      for (int i = 0; i < batch && use != Use.NO_KEYS; i++) {
        if (((List<?>) reply.get(5 + i)).size() != 10) {
          throw new AssertionError(reply.toString());
        }
      }
    }

    private Request request(int uses) {
      if (use == Use.NO_KEYS) {
        var demands = List.of(new Request.Demand(10, 1, 0));
        return new Request(entries, demands, epoch, "", revision, List.of());
      }
      List<Report> reports =
          use == Use.NEW_KEYS || uses == 0
              ? List.of()
              : List.of(
                  new Report(0, entries - 100 + ".0", 0, Report.Kind.ENDED, clock + entries * 50L));
      var demands = List.of(new Request.Demand(1, 1, 0));
      return new Request(entries, demands, epoch, "", revision, reports);
    }

    private List<String> arguments(Address address, List<Request> requests) {
      List<String> all =
          ScriptArguments.common(use.terms(), true, false, address.check(), "someone@somewhere");
      for (Request each : requests) {
        all.addAll(ScriptArguments.entry("0123456789abcdef", each, 0L));
      }
      return all;
    }

    private List<String> argumentsBefore(Address address, Request request) {
      var all = new ArrayList<>(List.of("0123456789abcdef", Long.toString(request.number())));
      all.addAll(List.of(request.epoch(), "", request.revision(), "1", "", address.check()));
      all.addAll(List.of("someone@somewhere", "0"));
      all.addAll(use.terms().arguments());
      List<String> entry = ScriptArguments.entry("0123456789abcdef", request, 0L);
      all.addAll(entry.subList(6, 10));
      all.addAll(entry.subList(11, entry.size()));
      return all;
    }

    private RedisFuture<List<Object>> call(List<String> keys, List<String> arguments) {
      return redis.evalsha(
          script.digest(),
          ScriptOutputType.MULTI,
          keys.toArray(String[]::new),
          Store.withClaim(arguments));
    }
  }
}
