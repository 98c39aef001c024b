package dev.pacegate.redis.growth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.redis.Fleet;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Writes docs/cluster-growth.md, and compares what can be simulated quickly. */
@Timeout(3600)
class GrowthPageTest {

  private static final Path DOCS = Path.of("..", "docs");
  private static final Path PAGE = DOCS.resolve("cluster-growth.md");

  /** With {@code -Dpacegate.costs=kept} what was measured is kept. */
  @Test
  @Tag("heavy")
  void writeThePage() throws Exception {
    boolean isKept = System.getProperty("pacegate.costs", "").equals("kept");
    Costs costs = isKept ? Costs.read() : Measured.measure();
    Growth growth = Growth.of(costs);
    String page = new GrowthText(growth).page();
    System.out.println(page);
    assertWithinTheRuleTheLimitIsUsed(growth);
    if (Boolean.getBoolean("pacegate.write")) {
      var pictures = new GrowthPictures(growth);
      costs.write();
      Files.writeString(PAGE, page);
      Files.writeString(picture("share"), pictures.share());
      Files.writeString(picture("calls"), pictures.calls());
      Files.writeString(picture("nodes"), pictures.nodes());
    }
  }

  private static Path picture(String name) {
    return DOCS.resolve("pictures").resolve("growth-" + name + ".svg");
  }

  /**
   * The page says how many processes may wait: with as many, the limit is used. With more, requests
   * go on. No number of them passes the limit.
   */
  private static void assertWithinTheRuleTheLimitIsUsed(Growth growth) {
    for (Fleet.Result each : growth.all()) {
      long most = Long.parseLong(each.setting().limit().replaceAll("^peer\\(|/.*", ""));
      assertTrue(each.mostCounted() <= most, each::toString);
    }
    for (Fleet.Result each : growth.full) {
      int within = Fleet.mostWithoutCrowd(each.setting().limit());
      boolean isWithin = each.setting().processes() <= within;
      assertTrue(each.share() > (isWithin ? 0.8 : 0.3), each::toString);
      assertTrue(each.late() == 0 && each.busy() < 0.9, each::toString);
    }
  }

  @Test
  void thePageShowsWhatIsSimulated() throws Exception {
    Growth growth = Growth.quick(Costs.read());
    var rows = new ArrayList<String>();
    growth.full.forEach(each -> rows.add(GrowthText.row(each)));
    growth.tenth.forEach(each -> rows.add(GrowthText.tenthRow(each)));
    growth.crowds.forEach(each -> rows.add(GrowthText.crowdRow(each)));
    String page = Files.readString(PAGE);
    assertEquals(List.of(), rows.stream().filter(row -> !page.contains(row)).toList());
  }

  @Test
  void afterALossTheFenceKeepsTheLimit() throws Exception {
    var setting = new Fleet.Setting(Growth.SMALL, 10, 4, 3, 2, true);
    try (var server = RedisServer.start(Version.V6_2)) {
      Fleet.Result result = Fleet.run(server, setting, bytes -> 300, Growth.SEED);
      assertTrue(result.mostCounted() <= 100, result::toString);
      assertTrue(result.herd().until() >= 0 && result.herd().until() < 0.5, result::toString);
    }
  }

  /** An oracle that knows nothing of leases: no more starts in an interval than the limit has. */
  @Test
  void aSlowStoreDeliversLittleRatherThanTooMuch() throws Exception {
    var setting = new Fleet.Setting(Growth.SMALL, 10, 4, 3, 2, false);
    try (var server = RedisServer.start(Version.V6_2)) {
      Fleet.Result fast = Fleet.run(server, setting, bytes -> 100, Growth.SEED);
      assertTrue(fast.share() > 0.9 && fast.mostCounted() <= 100, fast::toString);
      Fleet.Result slow = Fleet.run(server, setting, bytes -> 40_000, Growth.SEED);
      assertTrue(slow.share() < 0.5 && slow.mostCounted() <= 100, slow::toString);
    }
  }
}
