package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** A bound on what is open. */
final class NaiveCount implements Naive {

  private record Over(long at, long amount) {}

  private final Concurrent limit;
  private final BigInteger max;
  private final List<Over> over = new ArrayList<>(); // when each is that was lost
  private BigInteger open = BigInteger.ZERO;

  NaiveCount(Concurrent limit) {
    this.limit = limit;
    this.max = BigInteger.valueOf(limit.max());
  }

  @Override
  public long wait(long since, long now, Cost cost) {
    long amount = limit.of().of(cost);
    if (amount > limit.max()) {
      return Meter.NEVER;
    }
    if (amount == 0 || limit.max() == Long.MAX_VALUE || fits(now, amount)) {
      return 0;
    }
    return over.stream()
        .filter(one -> one.at > now && fits(one.at, amount))
        .mapToLong(one -> one.at - now)
        .min()
        .orElse(Meter.AT_EVENT);
  }

  private boolean fits(long instant, long amount) {
    BigInteger sum = open.add(BigInteger.valueOf(amount));
    for (Over one : over) {
      sum = one.at > instant ? sum.add(BigInteger.valueOf(one.amount)) : sum;
    }
    return sum.compareTo(max) <= 0;
  }

  @Override
  public void release(long since, long now, Cost cost) {
    open = open.add(BigInteger.valueOf(limit.of().of(cost)));
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    open = open.subtract(BigInteger.valueOf(limit.of().of(cost)));
    if (end == Outcome.LOST) {
      over.add(new Over(startedAt + limit.unansweredNanos(), limit.of().of(cost)));
    }
  }
}
