package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.redis.Exploration.Fault;
import dev.pacegate.redis.Exploration.Setting;
import dev.pacegate.redis.Exploration.Together;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** An exploration visits one world of each text: so the same must come of all that have it. */
class WorldTextTest {

  private static final Set<Fault> OF_MESSAGES =
      EnumSet.of(
          Fault.LOST_CALL, Fault.LOST_REPLY, Fault.LATE_CALL, Fault.LATE_REPLY, Fault.REPLACED);

  private static final int STEPS = 100;

  @ParameterizedTest
  @EnumSource(Fault.class)
  void worldsOfOneTextLeadToTheSameTexts(Fault fault) {
    walk(EnumSet.of(fault), 15);
  }

  static Stream<Set<Fault>> pairs() {
    return Stream.of(Fault.values())
        .flatMap(one -> Stream.of(Fault.values()).map(other -> (Set<Fault>) EnumSet.of(one, other)))
        .filter(pair -> pair.size() == 2)
        .distinct();
  }

  @ParameterizedTest
  @MethodSource("pairs")
  @Tag("heavy")
  void soDoThoseOfTwoFaults(Set<Fault> faults) {
    walk(faults, 60);
  }

  private static void walk(Set<Fault> faults, int walks) {
    long seed = Long.getLong("pacegate.seed", System.nanoTime());
    var random = new Random(seed);
    var first = new HashMap<String, World>();
    int again = 0;
    for (int i = 0; i < walks; i++) {
      var world = new World(setting(faults));
      for (int step = 0; step < STEPS && !world.actions().isEmpty() && !world.over; step++) {
        World before = first.putIfAbsent(WorldText.of(world), world);
        if (before != null && (before.now != world.now || random.nextInt(9) == 0)) {
          again++;
          assertEquals(textsAfter(before), textsAfter(world), () -> faults + ", seed " + seed);
        }
        world = after(world, choice(world, random));
      }
    }
    assertTrue(again > 0, () -> "none was met at two instants, seed " + seed);
  }

  // Faults are seldom: most worlds that are met again have some ahead.
  private static int choice(World world, Random random) {
    List<World.Action> actions = world.actions();
    int choice = random.nextInt(actions.size());
    return isFault(actions.get(choice)) && random.nextInt(20) > 0 ? choice(world, random) : choice;
  }

  private static boolean isFault(World.Action action) {
    return Stream.of(Fault.values()).anyMatch(fault -> action.name().startsWith(fault.name()));
  }

  private static Setting setting(Set<Fault> faults) {
    return new Setting(
        Setting.terms(2, 1, Setting.window(1, 3, 1)),
        "",
        null,
        null,
        Together.NOTHING,
        1_000_000,
        1_000_000,
        Collections.disjoint(faults, OF_MESSAGES) ? 0 : 1,
        true,
        2,
        faults,
        ExplorationTest.replicas(faults),
        StoreTwin.Mutant.NONE);
  }

  private static Set<String> textsAfter(World world) {
    var texts = new HashSet<String>();
    for (int i = 0; i < world.actions().size(); i++) {
      texts.add(WorldText.of(after(world, i)));
    }
    return texts;
  }

  private static World after(World world, int choice) {
    World copy = Copies.of(world);
    copy.actions().get(choice).run().run();
    return copy;
  }
}
