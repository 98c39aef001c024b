package dev.pacegate.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import dev.pacegate.redis.rig.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A real server with the real scripts, in virtual time: they are told the time. So it grants what a
 * store grants, takes as much CPU, and nothing depends on how fast it is.
 */
final class VirtualStore implements AutoCloseable {

  private static final int WINDOW = 100; // calls of which the CPU is taken together
  private static final long BEGAN = 1_790_000_000_000_000L; // what its clock shows first
  private static final String CLOCK =
      """

      local function wall()
        return tonumber(redis.call('GET', 'wall'))
      end

      local function set_for(key, value)
        redis.call('SET', key, value)
      end
      """;

  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final Script acquire = Script.load(resource("server.lua") + CLOCK, "acquire");
  private final List<Double> windows = new ArrayList<>(); // microseconds of CPU for a call
  private boolean isFresh = true; // no name has been used
  private long bytes;
  private long calls;
  private double used;

  VirtualStore(RedisServer server) {
    this.client = RedisClient.create(server.uri());
    this.connection = client.connect();
    connection.sync().flushall();
    connection.sync().scriptLoad(acquire.source());
  }

  private static String resource(String name) {
    try (var in = Script.class.getResourceAsStream(name)) {
      return new String(requireNonNull(in).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What a client says in a call. */
  record Entry(Address address, String client, Request request, long ahead) {}

  /** Carries out a call at an instant, in nanoseconds since it began; returns the first reply. */
  Reply acquire(long now, Terms terms, List<Entry> entries) throws Exception {
    Address address = entries.get(0).address;
    boolean keyed = address.hash() != null;
    String label = keyed ? "" : entries.get(0).client + "@worker";
    var keys = new ArrayList<>(address.keys());
    List<String> arguments = ScriptArguments.common(terms, isFresh, false, address.check(), label);
    for (int i = 0; i < entries.size(); i++) {
      Entry each = entries.get(i);
      arguments.addAll(ScriptArguments.entry(each.client, each.request, each.ahead));
      if (i > 0) {
        keys.add(each.address.keys().get(1));
      }
    }
    var unused = connection.async().set("wall", Long.toString(BEGAN + now / 1000));
    RedisFuture<List<Object>> reply =
        connection
            .async()
            .evalsha(
                acquire.digest(),
                ScriptOutputType.MULTI,
                keys.toArray(String[]::new),
                Store.withClaim(arguments));
    bytes = connection.async().strlen(keys.get(0)).get(60, TimeUnit.SECONDS);
    if (++calls % WINDOW == 0) {
      double all = cpuMicros();
      windows.add((all - used) / WINDOW);
      used = all;
    }
    return new Replies(reply.get(60, TimeUnit.SECONDS)).of(0, terms.terms().size());
  }

  /** Returns the size of the record after the last call. */
  long bytes() {
    return bytes;
  }

  /** Forgets all. A name that it doesn't know then is not fresh. */
  void forget() {
    isFresh = false;
    connection.sync().flushall();
  }

  /**
   * Returns how much CPU the server takes for a call, in microseconds: in the quietest tenth of the
   * time, as other programs slow it down. 0 if there were too few calls.
   */
  double quietMicros() {
    List<Double> sorted = windows.stream().skip(1).sorted().toList();
    return sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 10);
  }

  private double cpuMicros() {
    String info = connection.sync().info("cpu");
    return 1e6 * (cpu(info, "used_cpu_user") + cpu(info, "used_cpu_sys"));
  }

  private static double cpu(String info, String name) {
    String line =
        info.lines().filter(each -> each.startsWith(name + ":")).findFirst().orElseThrow();
    return Double.parseDouble(line.substring(name.length() + 1));
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }
}
