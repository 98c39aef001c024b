package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Permit;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Limits;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.RedisCluster;
import dev.pacegate.redis.rig.RedisNode;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What clusters are like, and how they are used: keys that are spread, TLS, announced names. */
@Tag("heavy")
@Timeout(300)
class ClusterKindsTest {

  private static final String SECRET = "sixteen characters";
  private static final String NAME = "accounts";
  private static final Tags TAGS = new Tags(NAME, 16);
  private static final KeyHash HASH = new KeyHash(SECRET);
  private static final Duration SOON = Duration.ofSeconds(60);

  private final Queue<Long> starts = new ConcurrentLinkedQueue<>();

  /** A primary that is replaced costs its own tags a fence, which outlasts the test. */
  @Test
  void keysAreSpreadOverAllPrimaries() throws Exception {
    try (var cluster = RedisCluster.start(Version.V7);
        var client = RedisClusterClient.create(cluster.uris().get(3));
        var one = spread(RedisLimiters.builder(cluster.uris().get(0)));
        var other = spread(RedisLimiters.builder(client));
        var ofOne = keyed(one);
        var ofOther = keyed(other)) {
      Map<String, RedisNode> owners = new HashMap<>(); // of keys
      for (int i = 0; i < 40; i++) {
        (i % 2 == 0 ? ofOne : ofOther).acquire("key" + i).answered();
        String record = TAGS.record(TAGS.of(HASH.of(NAME, "key" + i)));
        String hashed = record.substring(record.indexOf('{') + 1, record.indexOf('}'));
        owners.put("key" + i, cluster.primary(hashed));
      }
      assertEquals(3, Set.copyOf(owners.values()).size());
      assertEquals(16, one.operations().status(NAME).orElseThrow().tags().size());
      RedisNode former = cluster.primary(NAME);
      former.kill9();
      Map<String, Queue<Permit>> more = new ConcurrentHashMap<>();
      owners.keySet().forEach(key -> take(ofOne, ofOther, key, more));
      Await.until(
          () -> "keys of other primaries get what is left, " + counts(more),
          SOON,
          () ->
              owners.keySet().stream()
                  .allMatch(key -> owners.get(key) == former || count(more, key) >= 2));
      cluster.awaitReplaced(former, NAME);
      Await.until(
          "it is fenced",
          SOON,
          () -> one.operations().status(NAME).orElseThrow().fence().toMinutes() >= 59);
      owners.forEach((key, owner) -> assertEquals(owner == former ? 0 : 2, count(more, key), key));
    }
  }

  private static RedisLimiters spread(RedisLimiters.Builder builder) {
    return builder.fresh().secret(SECRET).connect();
  }

  private static KeyedLimiter<String> keyed(RedisLimiters redis) {
    return redis.spread(TAGS.count()).keyed(NAME, "peer(3/1h, unanswered=1s)").build();
  }

  /** Asks for more than is left of a key. */
  private static void take(
      KeyedLimiter<String> one,
      KeyedLimiter<String> other,
      String key,
      Map<String, Queue<Permit>> more) {
    for (KeyedLimiter<String> from : List.of(one, other, one, other)) {
      var unused =
          from.acquireAsync(key)
              .thenAccept(
                  permit -> {
                    permit.answered();
                    more.computeIfAbsent(key, of -> new ConcurrentLinkedQueue<>()).add(permit);
                  });
    }
  }

  private static int count(Map<String, Queue<Permit>> more, String key) {
    return more.getOrDefault(key, new ConcurrentLinkedQueue<>()).size();
  }

  private static List<Integer> counts(Map<String, Queue<Permit>> more) {
    return more.values().stream().map(Queue::size).toList();
  }

  @Test
  void aClusterSpeaksTls() throws Exception {
    try (var cluster = RedisCluster.startWithTls(Version.V7)) {
      String uri = cluster.uris().get(0);
      assertTrue(uri.startsWith("rediss://"), uri);
      var refused = assertThrows(RedisException.class, () -> RedisLimiters.connect(uri));
      assertTrue(
          ("" + refused.getMessage()).contains("certificate is of no authority"),
          refused::toString);
      try (var trust = cluster.trusted();
          var client = RedisClusterClient.create(uri);
          var one = new Program(uri, "100/1s", starts);
          var other = new Program(RedisLimiters.builder(client), "100/1s", starts)) {
        begin(one, other);
        RedisNode former = cluster.primary("api");
        former.kill9();
        cluster.awaitReplaced(former, "api");
        awaitMore(one, other);
      }
      judge("100/1s");
    }
  }

  /** That it has all is told by the address of the one that is promoted, and never by a name. */
  @Test
  void aPromotionCostsAFenceIfReplicasAnnounceNames() throws Exception {
    String limit = "100/4s"; // its fence outlasts a promotion, which would cost none otherwise
    try (var cluster =
            RedisCluster.start(
                Version.V7,
                setup ->
                    setup
                        .announceHost("replica.example")
                        .set("cluster-announce-hostname", "localhost")
                        .set("cluster-preferred-endpoint-type", "hostname"));
        var log = new LoggedLines();
        var program = new Program(cluster.uris().get(0), limit, starts)) {
      begin(program);
      RedisNode former = cluster.primary("api");
      List<String> replicas = List.of("replica.example:" + cluster.replica(former).port());
      Await.until("it is named", SOON, () -> program.status().replicas().equals(replicas));
      former.kill9();
      cluster.awaitReplaced(former, "api");
      awaitMore(program);
      judge(limit);
      assertFalse(log.with("no permits are granted for").isEmpty(), log.with("")::toString);
    }
  }

  private static void begin(Program... programs) throws InterruptedException {
    for (Program program : programs) {
      program.begin();
    }
    awaitMore(programs);
  }

  private static void awaitMore(Program... programs) throws InterruptedException {
    for (Program program : programs) {
      long enough = program.count() + 50;
      Await.until("it sends more", SOON, () -> program.count() >= enough);
    }
  }

  private void judge(String limit) {
    var audit = Audit.of(Limits.parse(limit));
    starts.stream().sorted(Long::compare).forEach(audit::add);
    assertTrue(audit.verdict().kept(), () -> audit.verdict().text());
  }
}
