package dev.pacegate.limit;

import dev.pacegate.limit.spi.Losses;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * The state of two limits that are checked together and charged together; of more, as each of the
 * two may be one of these.
 */
/*
 * Two fields, no array: then the two calls of each method are compiled for the two meters.
 */
final class BothMeter implements Meter {

  private final Meter first;
  private final Meter second;
  private final boolean tracks;

  private BothMeter(Meter first, Meter second) {
    this.first = first;
    this.second = second;
    this.tracks = first.tracks() || second.tracks();
  }

  /** Returns the meter of all {@code members}, of which there is at least one. */
  static Meter of(List<Meter> members) {
    int size = members.size();
    return size == 1
        ? members.get(0)
        : new BothMeter(of(members.subList(0, size / 2)), of(members.subList(size / 2, size)));
  }

  @Override
  public long nanosUntil(long since, long now, Cost cost) {
    return Math.max(first.nanosUntil(since, now, cost), second.nanosUntil(since, now, cost));
  }

  @Override
  public long atLeast(long since, long now, Cost ahead, Cost cost) {
    return Math.max(
        first.atLeast(since, now, ahead, cost), second.atLeast(since, now, ahead, cost));
  }

  @Override
  public void release(long since, long now, Cost cost) {
    first.release(since, now, cost);
    second.release(since, now, cost);
  }

  @Override
  public void sent(long startedAt, long now, Cost cost) {
    first.sent(startedAt, now, cost);
    second.sent(startedAt, now, cost);
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    first.end(startedAt, now, cost, end);
    second.end(startedAt, now, cost, end);
  }

  /** As many as both allow; one that is not told of ends allows any number. */
  @Override
  public long mostUndated() {
    return Math.min(mostUndated(first), mostUndated(second));
  }

  private static long mostUndated(Meter member) {
    return member.tracks() ? member.mostUndated() : Long.MAX_VALUE;
  }

  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    first.settle(startedAt, now, charged, actual);
    second.settle(startedAt, now, charged, actual);
  }

  @Override
  public long restsIn(long now) {
    return Math.max(first.restsIn(now), second.restsIn(now));
  }

  /** Asked of each of the {@link #leaves}, as they may count different things. */
  @Override
  public boolean recall(long now, Past past) {
    boolean remembers = first.recall(now, past);
    return second.recall(now, past) || remembers;
  }

  @Override
  public boolean tracks() {
    return tracks;
  }

  @Override
  public List<Meter> leaves() {
    var leaves = new ArrayList<>(first.leaves());
    leaves.addAll(second.leaves());
    return leaves;
  }

  @Override
  public void dated(long startedAt, long now, Instant date) {
    first.dated(startedAt, now, date);
    second.dated(startedAt, now, date);
  }

  @Override
  public long askAgainAfter() {
    return Math.min(first.askAgainAfter(), second.askAgainAfter());
  }

  @Override
  public void most(LongConsumer sink) {
    first.most(sink);
    second.most(sink);
  }

  /** Of the one that binds: the first if both do. */
  @Override
  public Losses losses(long now, Cost cost) {
    boolean firstBinds = first.nanosUntil(now, now, cost) >= second.nanosUntil(now, now, cost);
    return (firstBinds ? first : second).losses(now, cost);
  }
}
