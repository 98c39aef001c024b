package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many processes wait for one limit: their calls leave the server time, and the limit is used. */
@Timeout(600)
class CrowdTest {

  private static final long SEED = Long.getLong("pacegate.seed", 39);
  private static final Address ADDRESS = Address.of("api");

  // As measured: microseconds, and those for each client.
  private static final double CALL = 308;
  private static final double EACH = 1.2;

  /** What a thousand that wait are told: each comes again after the pause that it was told. */
  @Test
  void theCallsOfAThousandTakeHalfOfTheServersTime() throws Exception {
    int clients = 1000;
    double perSecond =
        pauses("peer(100/1s, unanswered=1s)", clients).stream()
                .skip(clients / 2)
                .mapToDouble(each -> 1e6 / each)
                .sum()
            * 2;
    double busy = perSecond * (CALL + EACH * clients) / 1e6;
    assertTrue(busy < 0.65, () -> "they keep it busy for " + busy);
  }

  /** The units may all be free by then, and most of the clients dead. */
  @Test
  @Tag("heavy")
  void noneOfFourThousandStaysAwayForLongerThanFifteenSeconds() throws Exception {
    long longest = Collections.max(pauses("peer(10000/1s, unanswered=1s)", 4000));
    assertTrue(longest > 10_000_000 && longest <= 15_000_000, () -> "told " + longest);
  }

  private static List<Long> pauses(String limit, int clients) throws Exception {
    Terms terms = Terms.of(Limits.parse(limit), null);
    try (var server = RedisServer.start(Version.V6_2);
        var store = new VirtualStore(server)) {
      Reply known = ask(store, terms, "first", "", "");
      var pauses = new ArrayList<Long>();
      for (int i = 0; i < clients; i++) {
        pauses.add(ask(store, terms, "client" + i, known.epoch(), known.revision()).comeBackIn());
      }
      return pauses;
    }
  }

  private static Reply ask(
      VirtualStore store, Terms terms, String client, String epoch, String revision)
      throws Exception {
    var request =
        new Request(1, List.of(new Request.Demand(2, 1, 0)), epoch, "", revision, List.of());
    return store.acquire(0, terms, List.of(new VirtualStore.Entry(ADDRESS, client, request, 0)));
  }

  /** A call of each takes longer than a lease may be used for. */
  @Test
  @Tag("heavy")
  void threeHundredUseALimitOfWhichEachGetsLittle() throws Exception {
    assertUsed("peer(10000/1s, unanswered=1s)", 300, 1, 0.7);
  }

  @Test
  @Tag("heavy")
  void aThousandUseALimitOfWhichEachGetsLittle() throws Exception {
    assertUsed("peer(100/1s, unanswered=1s)", 1000, 10, 0.8);
    assertUsed("peer(1000/1s, unanswered=1s)", 1000, 10, 0.7);
    assertUsed("peer(10000/1s, unanswered=1s)", 1000, 5, 0.3);
  }

  /** The first in line may have been told to stay away when it was the second. */
  @Test
  @Tag("heavy")
  void fewUnitsAreNotIdleWhileTheFirstInLineStaysAway() throws Exception {
    assertUsed("peer(4/1s, unanswered=1s)", 300, 20, 0.8);
    Fleet.Result result = run("spacing(100ms)", 300, 20);
    assertTrue(result.share() >= 0.8 && result.late() == 0, result::toString);
    assertTrue(result.mostCounted() >= 100_000_000, () -> "the least distance: " + result);
  }

  /** The server is so slow that they must notice it by themselves: no script knows its machine. */
  @Test
  @Tag("heavy")
  void aServerThatIsFourTimesAsSlowIsStillUsed() throws Exception {
    try (var server = RedisServer.start(Version.V6_2)) {
      var setting = new Fleet.Setting("peer(1000/1s, unanswered=1s)", 300, 4, 10, 2, false);
      Fleet.Result result =
          Fleet.run(server, setting, bytes -> 4 * (CALL + bytes * EACH / 48), SEED);
      assertTrue(result.share() > 0.1 && result.mostCounted() <= 1000, result::toString);
    }
  }

  private static void assertUsed(String limit, int processes, int seconds, double least)
      throws Exception {
    Fleet.Result result = run(limit, processes, seconds);
    long most = Terms.of(Limits.parse(limit), null).terms().get(0).capacity();
    assertTrue(result.share() >= least, result::toString);
    assertTrue(result.mostCounted() <= most && result.late() == 0, result::toString);
    assertTrue(result.busy() < 0.8, result::toString);
  }

  private static Fleet.Result run(String limit, int processes, int seconds) throws Exception {
    try (var server = RedisServer.start(Version.V6_2)) {
      var setting = new Fleet.Setting(limit, processes, 4, seconds, 2, false);
      return Fleet.run(server, setting, bytes -> CALL + bytes * EACH / 48, SEED);
    }
  }
}
