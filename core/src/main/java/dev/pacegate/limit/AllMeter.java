package dev.pacegate.limit;

import dev.pacegate.limit.spi.Losses;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/** The state of several limits that are checked together and charged together. */
final class AllMeter implements Meter {

  private final Meter[] members;
  private final boolean tracks;

  AllMeter(List<Meter> members) {
    this.members = members.toArray(Meter[]::new);
    this.tracks = members.stream().anyMatch(Meter::tracks);
  }

  @Override
  public long nanosUntil(long since, long now, Cost cost) {
    long longest = 0;
    for (Meter member : members) {
      longest = Math.max(longest, member.nanosUntil(since, now, cost));
    }
    return longest;
  }

  @Override
  public long atLeast(long since, long now, Cost ahead, Cost cost) {
    long longest = 0;
    for (Meter member : members) {
      longest = Math.max(longest, member.atLeast(since, now, ahead, cost));
    }
    return longest;
  }

  @Override
  public void release(long since, long now, Cost cost) {
    for (Meter member : members) {
      member.release(since, now, cost);
    }
  }

  @Override
  public void sent(long startedAt, long now, Cost cost) {
    for (Meter member : members) {
      member.sent(startedAt, now, cost);
    }
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    for (Meter member : members) {
      member.end(startedAt, now, cost, end);
    }
  }

  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    for (Meter member : members) {
      member.settle(startedAt, now, charged, actual);
    }
  }

  @Override
  public long restsIn(long now) {
    long longest = 0;
    for (Meter member : members) {
      longest = Math.max(longest, member.restsIn(now));
    }
    return longest;
  }

  /** Asked of each of the {@link #leaves}, as they may count different things. */
  @Override
  public boolean recall(long now, Past past) {
    boolean remembers = false;
    for (Meter member : members) {
      remembers |= member.recall(now, past);
    }
    return remembers;
  }

  @Override
  public boolean tracks() {
    return tracks;
  }

  /** As many as all allow that are told of ends. */
  @Override
  public long mostUndated() {
    long most = Long.MAX_VALUE;
    for (Meter member : members) {
      most = member.tracks() ? Math.min(most, member.mostUndated()) : most;
    }
    return most;
  }

  @Override
  public List<Meter> leaves() {
    var leaves = new ArrayList<Meter>();
    for (Meter member : members) {
      leaves.addAll(member.leaves());
    }
    return leaves;
  }

  @Override
  public void dated(long startedAt, long now, Instant date) {
    for (Meter member : members) {
      member.dated(startedAt, now, date);
    }
  }

  @Override
  public long askAgainAfter() {
    long soonest = NEVER;
    for (Meter member : members) {
      soonest = Math.min(soonest, member.askAgainAfter());
    }
    return soonest;
  }

  @Override
  public void most(LongConsumer sink) {
    for (Meter member : members) {
      member.most(sink);
    }
  }

  @Override
  public Losses losses(long now, Cost cost) {
    Losses binding = Losses.NONE;
    long longest = -1;
    for (Meter member : members) {
      long wait = member.nanosUntil(now, now, cost);
      if (wait > longest) {
        longest = wait;
        binding = member.losses(now, cost);
      }
    }
    return binding;
  }
}
