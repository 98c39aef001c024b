package dev.pacegate.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Visits every state a protocol can reach, breadth first, and judges each; then looks for a loop.
 *
 * <p>Breadth first gives a shortest trace to what is broken. Without a loop every run ends,
 * whichever thread the scheduler favours.
 */
final class Explorer {

  /**
   * What the exploration found.
   *
   * @param states the states visited
   * @param steps the steps between them
   * @param broken the property that does not hold, if any
   * @param report the steps that lead there, for people
   */
  record Verdict(int states, int steps, Optional<Property> broken, String report) {}

  private final Protocol protocol;
  private final StateSet states = new StateSet();

  /** The state from which each was first reached. */
  private int[] parents = new int[1 << 10];

  /** The successors of all states, one state's after the other's; those of i start at starts[i]. */
  private int[] successors = new int[1 << 10];

  private int[] starts = new int[1 << 10];
  private int edges;

  Explorer(Protocol protocol) {
    this.protocol = protocol;
  }

  Verdict explore() {
    states.add(protocol.first());
    for (int from = 0; from < states.size(); from++) {
      try {
        expand(from);
      } catch (Broken e) {
        return verdict(e.property(), e.what(), pathTo(from));
      }
    }
    List<Integer> loop = findLoop();
    if (!loop.isEmpty()) {
      List<Integer> path = pathTo(loop.get(0));
      path.addAll(loop.subList(1, loop.size()));
      return verdict(Property.END, "the last " + (loop.size() - 1) + " steps repeat", path);
    }
    return new Verdict(states.size(), edges, Optional.empty(), "");
  }

  private void expand(int from) {
    starts = ensure(starts, from + 1);
    ModelState state = states.get(from);
    List<Step> steps = protocol.steps(state);
    protocol.judge().state(state, steps);
    for (Step step : steps) {
      int known = states.size();
      int to = states.add(protocol.after(states.get(from), step));
      if (to == known) {
        parents = ensure(parents, to);
        parents[to] = from;
      }
      successors = ensure(successors, edges);
      successors[edges++] = to;
    }
    starts[from + 1] = edges;
  }

  private static int[] ensure(int[] array, int index) {
    return index < array.length ? array : Arrays.copyOf(array, 2 * array.length);
  }

  /** Returns the states of a loop, its first one again at the end; empty if there is none. */
  private List<Integer> findLoop() {
    int[] next = Arrays.copyOf(starts, states.size());
    boolean[] onPath = new boolean[states.size()];
    List<Integer> path = new ArrayList<>(List.of(0));
    onPath[0] = true;
    while (!path.isEmpty()) {
      int from = path.get(path.size() - 1);
      if (next[from] == starts[from + 1]) {
        onPath[from] = false;
        path.remove(path.size() - 1);
        continue;
      }
      int to = successors[next[from]++];
      if (onPath[to]) {
        path.add(to);
        return path.subList(path.indexOf(to), path.size());
      }
      if (next[to] == starts[to]) {
        path.add(to);
        onPath[to] = true;
      }
    }
    return List.of();
  }

  private List<Integer> pathTo(int state) {
    List<Integer> path = new ArrayList<>(List.of(state));
    for (int i = state; i > 0; i = parents[i]) {
      path.add(parents[i]);
    }
    Collections.reverse(path);
    return path;
  }

  // The report.

  private Verdict verdict(Property property, String message, List<Integer> path) {
    StringBuilder report = new StringBuilder().append(property).append(": ").append(message);
    report.append(String.format("\n%3d  %-32s%s", 0, "", states.get(path.get(0))));
    for (int i = 1; i < path.size(); i++) {
      String step = stepBetween(path.get(i - 1), path.get(i));
      report.append(String.format("\n%3d  %-32s%s", i, step, states.get(path.get(i))));
    }
    report.append("\n     ").append(message);
    return new Verdict(states.size(), edges, Optional.of(property), report.toString());
  }

  private String stepBetween(int from, int to) {
    for (Step step : protocol.steps(states.get(from))) {
      if (leadsTo(from, step, to)) {
        return step.toString();
      }
    }
    throw new IllegalStateException("no step from " + from + " to " + to);
  }

  private boolean leadsTo(int from, Step step, int to) {
    try {
      return states.add(protocol.after(states.get(from), step)) == to;
    } catch (Broken e) {
      return false;
    }
  }
}
