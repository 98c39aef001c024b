package dev.pacegate.limit;

import java.util.List;

/** NaiveSeveral at once: the longest wait of any. */
final class NaiveSeveral implements Naive {

  private final List<Naive> members;

  NaiveSeveral(List<Naive> members) {
    this.members = members;
  }

  @Override
  public long wait(long since, long now, Cost cost) {
    return members.stream().mapToLong(m -> m.wait(since, now, cost)).max().orElseThrow();
  }

  @Override
  public void release(long since, long now, Cost cost) {
    members.forEach(m -> m.release(since, now, cost));
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    members.forEach(m -> m.end(startedAt, now, cost, end));
  }

  @Override
  public void sent(long startedAt, long now, Cost cost) {
    members.forEach(m -> m.sent(startedAt, now, cost));
  }

  @Override
  public long longestWait(long since, long now, Cost cost) {
    return members.stream().mapToLong(m -> m.longestWait(since, now, cost)).max().orElseThrow();
  }
}
