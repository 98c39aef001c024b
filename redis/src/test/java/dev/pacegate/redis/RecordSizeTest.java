package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A record does not grow with the clients that have come and gone, nor does a call get dearer. */
@Timeout(300)
class RecordSizeTest {

  private static final long DAY = Duration.ofDays(1).toMillis() * 1000;
  private static final int MOST_BYTES = 4 * 1024;
  private static final String RECORD = "pacegate:{x}";

  private final Script acquire = Script.load(StoreTwinTest.SERVER, "acquire");
  private long wall = 1_790_000_000_000_000L;
  private int clients;
  private RedisServer server;
  private RedisClient client;
  private StatefulRedisConnection<String, String> connection;

  @BeforeEach
  void start() throws Exception {
    server = RedisServer.start(Version.V6_2);
    client = RedisClient.create(server.uri());
    connection = client.connect();
    for (String name : List.of("run", "replication", "earlier")) {
      connection.sync().hset("server", name, "0");
    }
  }

  @AfterEach
  void stop() throws Exception {
    connection.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"peer(100/1s)", "30000/1d", "peer(50/1m) & concurrent(10)"})
  void clientsThatComeAndGoLeaveNothing(String limit) throws Exception {
    comeAndGo(limit, 500, DAY / 500);
    assertSmall();
  }

  @ParameterizedTest
  @ValueSource(strings = {"peer(100/1s)", "30000/1d"})
  @Tag("slow")
  void fiveThousandClientsOfADayLeaveNothing(String limit) throws Exception {
    comeAndGo(limit, 5_000, DAY / 5_000);
    assertSmall();
  }

  @ParameterizedTest
  @ValueSource(strings = {"peer(100/1s)", "30000/1d"})
  @Tag("heavy")
  void twentyThousandClientsOfADayLeaveNothing(String limit) throws Exception {
    comeAndGo(limit, 20_000, DAY / 20_000);
    assertSmall();
  }

  /** The server tells how long it takes for a call, without the network. */
  @Test
  @Tag("idle")
  void aCallIsAsCheapAfterTwentyThousandClientsAsAfterTen() throws Exception {
    comeAndGo("peer(100/1s)", 500, DAY / 20_000); // the server is warm
    double before = microsOfACall(500);
    comeAndGo("peer(100/1s)", 20_000, DAY / 20_000);
    double after = microsOfACall(500);
    assertTrue(after < 1.5 * before, () -> after + " us a call, before " + before);
  }

  private double microsOfACall(int count) throws Exception {
    connection.sync().configResetstat();
    comeAndGo("peer(100/1s)", count, DAY / 20_000);
    Matcher usec =
        Pattern.compile("cmdstat_eval:.*usec_per_call=([0-9.]+)")
            .matcher(connection.sync().info("commandstats"));
    assertTrue(usec.find());
    return Double.parseDouble(usec.group(1));
  }

  private void assertSmall() {
    long bytes = connection.sync().strlen(RECORD);
    assertTrue(bytes <= MOST_BYTES, () -> bytes + " bytes");
  }

  /** Each takes a unit, reports that it is over and ends, as {@code pacegate run} does. */
  private void comeAndGo(String limit, int count, long apart) throws Exception {
    Terms terms = Terms.of(Limits.parse(limit), Duration.ZERO);
    advance(0);
    Reply known = call(terms, "known", request("", "", 1, 0, terms)).get();
    for (int i = 0; i < count; i++) {
      String name = String.format("client%05d", clients++);
      var calls = new ArrayList<RedisFuture<?>>();
      advance(apart);
      calls.add(call(terms, name, request("", "", 1, 0, terms)).future);
      calls.add(call(terms, name, request(known.epoch(), known.revision(), 2, 1, terms)).future);
      var ended = new ArrayList<Report>();
      for (int term = 0; term < terms.terms().size(); term++) {
        ended.add(new Report(term, "2.0", 0, Report.Kind.ENDED, wall));
      }
      Request last = request(known.epoch(), known.revision(), 3, 0, terms);
      calls.add(
          call(
                  terms,
                  name,
                  new Request(
                      3, last.demands(), last.epoch(), "", last.revision(), List.copyOf(ended)))
              .future);
      if (i % 50 == 0) {
        LettuceFutures.awaitAll(30, TimeUnit.SECONDS, calls.toArray(RedisFuture<?>[]::new));
      }
    }
    call(terms, "known", request("", "", 1, 0, terms)).get();
  }

  private void advance(long micros) {
    wall += micros;
    connection.sync().hset("server", "wall", Long.toString(wall));
  }

  private static Request request(
      String epoch, String revision, long number, long want, Terms terms) {
    List<Request.Demand> demands =
        terms.terms().stream().map(term -> new Request.Demand(want, want, 0)).toList();
    return new Request(number, demands, epoch, "", revision, List.of());
  }

  private record Answer(RedisFuture<List<Object>> future, int terms) {
    Reply get() throws Exception {
      return new Replies(future.get(30, TimeUnit.SECONDS)).of(0, terms);
    }
  }

  private Answer call(Terms terms, String name, Request request) {
    RedisAsyncCommands<String, String> redis = connection.async();
    List<String> arguments =
        ScriptArguments.acquire(
            name, request, terms, true, false, "", name + "@worker-" + clients % 40, 0L);
    return new Answer(
        redis.eval(
            acquire.source(),
            ScriptOutputType.MULTI,
            new String[] {RECORD},
            Store.withClaim(arguments)),
        terms.terms().size());
  }
}
