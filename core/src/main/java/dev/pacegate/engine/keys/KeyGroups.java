package dev.pacegate.engine.keys;

import dev.pacegate.engine.Lane;
import dev.pacegate.engine.OpenPermitList;
import dev.pacegate.engine.PermitAges;
import dev.pacegate.limit.Limit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The groups of keys, each of them a key of another keyed limiter. A group stays known while any of
 * its keys is, and a key stays in its groups while it is known. Immutable.
 */
public final class KeyGroups<K> {

  private static final Lane[] NONE = {};
  private static final KeyGroups<?> EMPTY = new KeyGroups<>(List.of());

  private final List<Of<K, ?>> groups;

  private KeyGroups(List<Of<K, ?>> groups) {
    this.groups = groups;
  }

  /** One kind of group: where they are known, and which of them a key is in. */
  private record Of<K, G>(KeyLanes<G> lanes, Function<? super K, ? extends G> groupOf) {

    /** Returns the lane of the group of {@code key}, pinned; null if there are too many groups. */
    @Nullable KeyLane<G> pin(K key) {
      G group = groupOf.apply(key);
      if (group == null) {
        throw new NullPointerException(
            "the function given to within returned null, not a key of "
                + lanes.engine.name()
                + ", for the key "
                + key);
      }
      return lanes.pin(group);
    }
  }

  /** Returns no groups. */
  @SuppressWarnings("unchecked") // it asks none about a key
  public static <K> KeyGroups<K> none() {
    return (KeyGroups<K>) EMPTY;
  }

  /**
   * Returns these and one more kind of group.
   *
   * @throws IllegalArgumentException if its permits come from a source, or it is not of the same
   *     limiter as the others
   */
  public <G> KeyGroups<K> and(KeyLanes<G> lanes, Function<? super K, ? extends G> groupOf) {
    if (lanes.feeds != null) {
      throw new IllegalArgumentException(
          "keys cannot be within keys of a source: " + lanes.engine.name());
    }
    if (!groups.isEmpty() && first().sibling != lanes.sibling) {
      throw new IllegalArgumentException(
          "all keyed limiters given to within must be within one limiter, in one lane of it: "
              + lanes.engine.name()
              + " is not "
              + first().engine.name());
    }
    var more = new ArrayList<>(groups);
    more.add(new Of<>(lanes, groupOf));
    return new KeyGroups<>(List.copyOf(more));
  }

  /** Returns the lanes of keys in these groups, of which there must be some. */
  public KeyLanes<K> keys(Limit limit, int maxKeys, int maxWaitingPerKey) {
    KeyLanes<?> first = first();
    first.engine.costs.know(limit);
    return new KeyLanes<>(
        first.engine, first.sibling, limit, maxKeys, maxWaitingPerKey, null, this);
  }

  private KeyLanes<?> first() {
    return groups.get(0).lanes();
  }

  /**
   * Makes {@code permits} heed {@code own} ages, and those of all groups as they are now. Without
   * groups they do already.
   */
  void mindAges(OpenPermitList permits, PermitAges own) {
    if (!groups.isEmpty()) {
      permits.mind(own);
      mindAges(permits);
    }
  }

  private void mindAges(OpenPermitList permits) {
    for (Of<K, ?> each : groups) {
      permits.mindAlso(each.lanes.ages);
      each.lanes.groups.mindAges(permits);
    }
  }

  boolean isEmpty() {
    return groups.isEmpty();
  }

  /**
   * Returns the lanes of all groups that {@code key} is in, pinned; null if there are too many.
   * Calls the program's functions: not for callers that hold the gate or a lock.
   */
  Lane @Nullable [] pin(K key) {
    if (groups.isEmpty()) {
      return NONE;
    }
    var pinned = new ArrayList<KeyLane<?>>();
    Lane[] around = null;
    try {
      around = pin(key, pinned);
    } finally {
      if (around == null) {
        pinned.forEach(KeyLane::close);
      }
    }
    return around;
  }

  private Lane @Nullable [] pin(K key, List<KeyLane<?>> pinned) {
    for (Of<K, ?> each : groups) {
      KeyLane<?> group = each.pin(key);
      if (group == null) {
        return null;
      }
      if (pinned.contains(group)) {
        group.close();
      } else {
        pinned.add(group);
      }
    }
    Lane[] around = pinned.size() == 1 ? pinned.get(0).asGroup() : together(pinned);
    for (Lane group : around) {
      if (!pinned.contains(group) && ((KeyLane<?>) group).pin()) { // it is, by a group in it
        pinned.add((KeyLane<?>) group);
      }
    }
    return around;
  }

  private static Lane[] together(List<KeyLane<?>> pinned) {
    var all = new LinkedHashSet<Lane>();
    for (KeyLane<?> group : pinned) {
      all.addAll(List.of(group.asGroup()));
    }
    return all.toArray(NONE);
  }

  /** Returns whether {@code lane} is that of a key of {@code keys}, or in a group that is one. */
  static boolean isUnder(KeyLanes<?> keys, Lane lane) {
    boolean is = keys.owns(lane);
    for (int i = 0; i < lane.around.length && !is; i++) {
      is = keys.owns(lane.around[i]);
    }
    return is;
  }

  static void unpin(Lane[] around) {
    for (Lane group : around) {
      group.close();
    }
  }

  /** Returns the one that has no room for another group; null if none is full. */
  @Nullable KeyLanes<?> full() {
    for (Of<K, ?> each : groups) {
      if (each.lanes.isFull()) {
        return each.lanes;
      }
    }
    return null;
  }
}
