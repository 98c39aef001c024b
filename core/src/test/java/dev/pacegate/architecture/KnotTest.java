package dev.pacegate.architecture;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** How many types have to be understood at once: no more reach each other in circles than six. */
class KnotTest {

  private static final int MOST = 6;

  /**
   * How many arrows within the engine's own package point back up, on the best floors there are.
   */
  private static final int MOST_BACK = 3;

  @Test
  void noKnotIsLarge() {
    Map<String, Set<String>> uses = uses();
    assertTrue(uses.size() > 100, "too few types to be core: " + uses.size());
    List<Set<String>> large = knots(uses).stream().filter(knot -> knot.size() > MOST).toList();
    assertEquals(List.of(), large);
  }

  @Test
  void fewArrowsOfTheEnginePointBackUp() {
    Map<String, Set<String>> uses = uses();
    uses.keySet().removeIf(name -> !name.matches("dev\\.pacegate\\.engine\\.\\w+"));
    uses.forEach((name, used) -> used.retainAll(uses.keySet()));
    int back = knots(uses).stream().mapToInt(knot -> leastBack(knot, uses)).sum();
    assertTrue(back <= MOST_BACK, back + " arrows within " + knots(uses));
  }

  @Test
  void anArrowPointsBackUpInAnyKnot() {
    Map<String, Set<String>> uses = new TreeMap<>();
    uses.put("a", Set.of("b", "c"));
    uses.put("b", Set.of("a", "c"));
    uses.put("c", Set.of("a"));
    assertEquals(2, leastBack(uses.keySet(), uses), "a over b over c");
  }

  @Test
  void findsAKnotAndWhatOnlyHangsOnIt() {
    Map<String, Set<String>> uses = new TreeMap<>();
    uses.put("a", Set.of("b"));
    uses.put("b", Set.of("c"));
    uses.put("c", Set.of("a", "leaf"));
    uses.put("leaf", Set.of());
    uses.put("root", Set.of("a"));
    assertEquals(List.of(Set.of("a", "b", "c"), Set.of("leaf"), Set.of("root")), knots(uses));
  }

  /** Returns which types of core each of them uses; nested ones count as the type around them. */
  private static Map<String, Set<String>> uses() {
    Map<String, Set<String>> uses = new TreeMap<>();
    var classes =
        new ClassFileImporter()
            .withImportOption(new ArchitectureTest.NoTests())
            .importPackages("dev.pacegate");
    for (JavaClass type : classes) {
      Set<String> used = uses.computeIfAbsent(top(type), none -> new TreeSet<>());
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        used.add(top(dependency.getTargetClass()));
      }
    }
    uses.forEach((name, used) -> used.retainAll(uses.keySet()));
    return uses;
  }

  private static String top(JavaClass type) {
    return type.getBaseComponentType().getName().replaceAll("\\$.*", "");
  }

  /** Returns the sets of types that reach each other, the largest first. */
  private static List<Set<String>> knots(Map<String, Set<String>> uses) {
    var knots = new ArrayList<Set<String>>();
    var seen = new HashSet<String>();
    for (String name : uses.keySet()) {
      if (seen.add(name)) {
        var knot = new TreeSet<>(reachedFrom(name, uses));
        knot.removeIf(other -> !reachedFrom(other, uses).contains(name));
        knot.add(name);
        seen.addAll(knot);
        knots.add(knot);
      }
    }
    knots.sort(Comparator.comparing((Set<String> knot) -> -knot.size()));
    return knots;
  }

  /** Returns how many arrows between these types point back up if each has a floor of its own. */
  private static int leastBack(Set<String> types, Map<String, Set<String>> uses) {
    int least = types.isEmpty() ? 0 : Integer.MAX_VALUE;
    for (String top : types) {
      var below = new TreeSet<>(types);
      below.remove(top);
      int back =
          (int) below.stream().filter(type -> requireNonNull(uses.get(type)).contains(top)).count();
      least = Math.min(least, back + leastBack(below, uses));
    }
    return least;
  }

  private static Set<String> reachedFrom(String name, Map<String, Set<String>> uses) {
    var reached = new HashSet<String>();
    Deque<String> next = new ArrayDeque<>(uses.get(name));
    while (!next.isEmpty()) {
      String used = next.remove();
      if (reached.add(used)) {
        next.addAll(uses.get(used));
      }
    }
    return reached;
  }
}
