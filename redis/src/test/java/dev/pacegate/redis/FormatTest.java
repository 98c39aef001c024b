package dev.pacegate.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Processes of two versions on one name. The scripts of an earlier one are kept in {@code format2}
 * and {@code format3}, by the form of what they store: of another form the second is refused with a
 * reason, and changes nothing; of the same both count together.
 */
@Timeout(60)
class FormatTest {

  private static final Terms TERMS = Terms.of(Limits.parse("10/1s"), Duration.ZERO);
  private static final String REFUSAL = "record of this version of Pacegate";

  private RedisServer server;

  /** Where the partition stands among the arguments of a limit. */
  private static final int PARTITION = 4;

  private RedisClient client;
  private RedisCommands<String, String> redis;

  @BeforeEach
  void start() throws Exception {
    server = RedisServer.start(Version.V6_2);
    client = RedisClient.create(server.uri());
    redis = client.connect().sync();
  }

  @AfterEach
  void stop() throws Exception {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "key"})
  void anEarlierVersionIsRefusedByALaterRecord(String key) throws Exception {
    Address address = address(key);
    now("acquire", address, acquire(address, true));
    Map<String, String> stored = stored();
    refused(() -> before("acquire", address, acquire(address, false)));
    refused(() -> before("change", address, beforeChange(address)));
    refused(() -> before("control", address, control(address)));
    refused(() -> before("status", address, List.of()));
    assertEquals(stored, stored());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "key"})
  void aLaterVersionIsRefusedByAnEarlierRecord(String key) throws Exception {
    Address address = address(key);
    before("acquire", address, acquire(address, false));
    Map<String, String> stored = stored();
    refused(() -> now("acquire", address, acquire(address, true)));
    refused(() -> now("change", address, change(address, "")));
    refused(() -> now("control", address, control(address)));
    refused(() -> now("status", address, List.of()));
    assertEquals(stored, stored());
  }

  /** The record was lost, and a key of the earlier version is still there. */
  @ParameterizedTest
  @ValueSource(strings = {"without a limit of its own", "with one"})
  void aKeyThatAnEarlierVersionLeftIsTakenForLost(String kind) throws Exception {
    Address address = address("key");
    before("acquire", address, acquire(address, false));
    if (kind.equals("with one")) {
      before("change", address, beforeChange(address));
    }
    redis.del(address.keys().get(0));
    Reply reply = reply(now("acquire", address, acquire(address, true)));
    assertEquals(TERMS.limit().toString(), reply.limit());
    assertEquals(TERMS.fence(), reply.closedFor());
  }

  /** The earlier one makes a call for each key, and what it says of all has other places. */
  @ParameterizedTest
  @ValueSource(strings = {"", "key"})
  void anEarlierVersionOfTheSameFormCountsWithThisOne(String key) throws Exception {
    Address address = address(key);
    var none = new Request(1, List.of(new Request.Demand(0, 0, 0)), "", "", "", List.of());
    List<Object> first = sameForm(address, "earlier", none);
    assertEquals(TERMS.limit().toString(), first.get(3).toString());
    Reply known = reply(now("acquire", address, call(address, "later", none, false)));
    assertEquals(first.get(1).toString(), known.epoch());
    assertEquals(first.get(2).toString(), known.revision());

    assertEquals(4, unitsOf(sameForm(address, "earlier", request(known, 2, 4))));
    assertEquals(
        5, units(now("acquire", address, call(address, "later", request(known, 2, 5), false))));
    assertEquals(1, unitsOf(sameForm(address, "earlier", request(known, 3, 8))));
    assertEquals(
        0, units(now("acquire", address, call(address, "later", request(known, 3, 1), false))));
    assertEquals(4, unitsOf(sameForm(address, "earlier", request(known, 2, 4))), "once more");

    run("format3/", "change", address, Store.withClaim(change(address, known.revision())));
    run("format3/", "control", address(""), Store.withClaim(control(address)));
    assertTrue(reply(now("acquire", address, call(address, "later", none, false))).pausedFor() > 0);
  }

  private List<Object> sameForm(Address address, String client, Request request)
      throws IOException {
    var arguments = new ArrayList<>(List.of(client, Long.toString(request.number())));
    arguments.addAll(List.of(request.epoch(), request.distrust(), request.revision()));
    arguments.addAll(List.of("1", "", address.check(), "label", ""));
    arguments.addAll(TERMS.arguments());
    Request.Demand demand = request.demands().get(0);
    arguments.addAll(List.of("1", Long.toString(demand.want()), Long.toString(demand.least())));
    arguments.add(Long.toString(demand.spare()));
    return run("format3/", "acquire", address, Store.withClaim(arguments));
  }

  /** Returns how many units the earlier one was granted for now. */
  private static long unitsOf(List<Object> reply) {
    boolean isNow = reply.size() > 14 && number(reply, 12) <= number(reply, 0);
    return isNow ? number(reply, 14) : 0;
  }

  private static long number(List<Object> reply, int field) {
    return Long.parseLong(reply.get(field).toString());
  }

  private static long units(List<Object> fields) {
    Reply reply = reply(fields);
    return reply.grants().stream()
        .filter(grant -> grant.from() <= reply.clock())
        .mapToLong(grant -> grant.units().get(0))
        .sum();
  }

  private static Request request(Reply known, long number, long want) {
    List<Request.Demand> demands = List.of(new Request.Demand(want, 1, 0));
    return new Request(number, demands, known.epoch(), "", known.revision(), List.of());
  }

  private static Reply reply(List<Object> fields) {
    return new Replies(fields).of(0, 1);
  }

  private static Address address(String key) {
    return key.isEmpty() ? Address.of("x") : new Address("x", key, "secret");
  }

  private Map<String, String> stored() {
    var values = new TreeMap<String, String>();
    redis.keys("*").forEach(key -> values.put(key, Arrays.toString(redis.dump(key))));
    return values;
  }

  private static void refused(org.junit.jupiter.api.function.Executable call) {
    var refusal = assertThrows(RedisCommandExecutionException.class, call);
    assertTrue(("" + refusal.getMessage()).contains(REFUSAL), refusal::toString);
  }

  /**
   * Returns the arguments of a call; the earlier form told neither whether the server loses
   * nothing, nor how far the clocks are apart, nor how many terms are asked for, nor what is stated
   * of a partition, and made no claim.
   */
  private static List<String> acquire(Address address, boolean now) {
    List<Request.Demand> demands = List.of(new Request.Demand(1, 1, 0));
    if (now) {
      var request = new Request(1, demands, "", "", "", List.of());
      return call(address, "client", request, false);
    }
    var arguments =
        new ArrayList<>(List.of("client", "1", "", "", "", "", address.check(), "label"));
    arguments.addAll(TERMS.arguments());
    arguments.remove(8 + PARTITION);
    arguments.addAll(List.of("1", "1", "0"));
    return arguments;
  }

  private static List<String> call(Address address, String client, Request request, boolean fresh) {
    return ScriptArguments.acquire(
        client, request, TERMS, fresh, false, address.check(), "label", null);
  }

  private static List<String> change(Address address, String replaced) {
    return ScriptArguments.change(replaced, address.check(), "who", "why", TERMS, TERMS);
  }

  private static List<String> beforeChange(Address address) {
    var arguments = new ArrayList<>(List.of("a name"));
    arguments.addAll(change(address, ""));
    arguments.remove(5 + TERMS.arguments().size() + PARTITION);
    arguments.remove(5 + PARTITION);
    return arguments;
  }

  private static List<String> control(Address address) {
    return List.of(address.check(), "who", "why", "pause", "1000000");
  }

  private List<Object> now(String script, Address address, List<String> arguments) {
    Script now =
        switch (script) {
          case "acquire" -> Script.ACQUIRE;
          case "change" -> Script.CHANGE;
          case "control" -> Script.CONTROL;
          default -> Script.STATUS;
        };
    return run(now, address, Store.withClaim(arguments));
  }

  private List<Object> before(String script, Address address, List<String> arguments)
      throws IOException {
    return run("format2/", script, address, arguments.toArray(String[]::new));
  }

  private List<Object> run(String folder, String script, Address address, String... arguments)
      throws IOException {
    var source = new StringBuilder();
    for (String part : List.of("server", "record", "count", script)) {
      try (var in = Script.class.getResourceAsStream(folder + part + ".lua")) {
        source.append(new String(requireNonNull(in, part).readAllBytes(), UTF_8));
      }
    }
    return run(Script.of(source.toString()), address, arguments);
  }

  private List<Object> run(Script script, Address address, String... arguments) {
    String[] keys = address.keys().toArray(String[]::new);
    return redis.eval(script.source(), ScriptOutputType.MULTI, keys, arguments);
  }
}
