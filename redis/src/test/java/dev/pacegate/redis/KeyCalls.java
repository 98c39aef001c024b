package dev.pacegate.redis;

import dev.pacegate.limit.Limits;
import dev.pacegate.redis.VirtualStore.Entry;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** What calls for keys cost a real server: CPU and memory. */
public final class KeyCalls {

  private static final Terms TERMS = Terms.of(Limits.parse("peer(10/30s, unanswered=1s)"), null);
  private static final Request GREETING =
      new Request(0, List.of(new Request.Demand(0, 0, 0)), "", "", "", List.of());
  private static final String COPY =
      """
      local value = redis.call('GET', KEYS[1])
      for i = 1, tonumber(ARGV[2]) do
        redis.call('SET', string.format('%s%021d', ARGV[1], i), value, 'PX', 3600000)
      end
      """;

  private KeyCalls() {}

  /** Returns the CPU of a call for so many new keys, in microseconds. */
  public static double micros(int calls, int batch) throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var store = new VirtualStore(server)) {
      take(store, calls, batch);
      return store.quietMicros();
    }
  }

  private static void take(VirtualStore store, int calls, int batch) throws Exception {
    Reply known = store.acquire(0, TERMS, List.of(new Entry(address("first"), "c", GREETING, 0)));
    Request request =
        new Request(
            1,
            List.of(new Request.Demand(1, 1, 0)),
            known.epoch(),
            "",
            known.revision(),
            List.of());
    for (int i = 0; i < calls; i++) {
      var entries = new ArrayList<Entry>();
      for (int j = 0; j < batch; j++) {
        int key = i * batch + j;
        entries.add(new Entry(address("key" + key), "client" + key, request, 0));
      }
      store.acquire(1_000_000 + i * 1000L, TERMS, entries);
    }
  }

  private static Address address(String key) {
    return new Address("accounts", key, "check");
  }

  /** Returns the memory that a server needs for each of so many keys, which have one permit out. */
  public static double bytes(int keys) throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var store = new VirtualStore(server)) {
      take(store, 1, 1);
      RedisClient client = RedisClient.create(server.uri());
      try (var connection = client.connect()) {
        connection.setTimeout(Duration.ofMinutes(2));
        long before = memory(server);
        String[] one = {address("key0").keys().get(1)};
        String names = address("").keys().get(1);
        connection.sync().eval(COPY, ScriptOutputType.VALUE, one, names, Integer.toString(keys));
        return (double) (memory(server) - before) / keys;
      } finally {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
      }
    }
  }

  private static long memory(RedisServer server) throws Exception {
    return Long.parseLong(Objects.requireNonNull(server.info("memory", "used_memory")));
  }
}
