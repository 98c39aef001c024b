package dev.pacegate.engine.keys;

import dev.pacegate.engine.Lane;
import dev.pacegate.engine.report.RequestCounts;

/**
 * What a permit of a dropped key is corrected in: the key as it is known now, and the groups that
 * the key was in when the permit was charged. No request waits here.
 */
final class CorrectionLane extends Lane {

  private final KeyLane<?> key;

  private CorrectionLane(KeyLane<?> key, Lane[] groups) {
    super(key.sibling(), key.own, groups);
    this.key = key;
  }

  /**
   * Returns the lane of {@code key}, which is pinned, with these groups as they are known now, all
   * pinned.
   */
  static CorrectionLane of(KeyLane<?> key, Lane[] groups) {
    Lane[] present = groups.clone();
    int pinned = 0;
    try {
      for (; pinned < present.length; pinned++) {
        present[pinned] = ((KeyLane<?>) groups[pinned]).present();
      }
    } finally {
      if (pinned < present.length) { // the program's function has failed
        key.close();
        for (int i = 0; i < pinned; i++) {
          present[i].close();
        }
      }
    }
    return new CorrectionLane(key, present);
  }

  @Override
  public void refresh(long now) {
    key.refresh(now);
    for (Lane group : around) {
      group.refresh(now);
    }
  }

  @Override
  public RequestCounts counts() {
    return key.counts();
  }

  @Override
  public void close() {
    key.close();
    KeyGroups.unpin(around);
  }
}
