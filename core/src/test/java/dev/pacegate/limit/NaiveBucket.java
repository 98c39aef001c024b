package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** A bucket: what it lacks, in fractions of a nanosecond, permits to the nanosecond. */
final class NaiveBucket implements Naive {

  private record Taken(long since, long at, long amount) {}

  private final Bucket limit;
  private final BigInteger parts;
  private final List<Taken> taken = new ArrayList<>();

  NaiveBucket(Bucket limit) {
    this.limit = limit;
    this.parts = BigInteger.valueOf(limit.rate().permits());
  }

  @Override
  public long wait(long since, long now, Cost cost) {
    long amount = limit.of().of(cost);
    if (amount == 0) {
      return 0;
    }
    long held = Math.max(0, amount - limit.debt());
    if (held > limit.burst() && limit.oversize() == Bucket.Oversize.NEVER) {
      return Meter.NEVER;
    }
    State state = state();
    BigInteger due;
    if (held <= limit.burst()) {
      BigInteger excess = state.lackAt(now).subtract(price(limit.burst() - held));
      due = BigInteger.valueOf(now).add(ceil(excess));
    } else {
      due = state.fullAt().max(BigInteger.valueOf(since)).add(ceil(price(amount - limit.burst())));
    }
    BigInteger wait = due.subtract(BigInteger.valueOf(now)).max(BigInteger.ZERO);
    return wait.min(BigInteger.valueOf(Meter.LONGEST)).longValueExact();
  }

  @Override
  public void release(long since, long now, Cost cost) {
    if (limit.of().of(cost) > 0) {
      taken.add(new Taken(since, now, limit.of().of(cost)));
    }
  }

  /** Works everything out from the beginning. */
  private State state() {
    boolean spent = limit.initial() == Bucket.Initial.SPENT;
    boolean empty = limit.initial() == Bucket.Initial.EMPTY || spent;
    var state =
        new State(
            0,
            empty ? price(limit.burst() + (spent ? limit.debt() : 0)) : whole(-limit.slackNanos()));
    for (Taken one : taken) {
      BigInteger price = price(one.amount).subtract(whole(credit(state, one)));
      state = new State(one.at, state.lackAt(one.at).add(price).min(whole(Meter.LONGEST)));
    }
    return state;
  }

  /** What an oversize request has paid by waiting, beyond what the slack makes good anyway. */
  private long credit(State state, Taken one) {
    if (one.amount <= limit.burst() + limit.debt()) {
      return 0;
    }
    BigInteger full = BigInteger.valueOf(one.at).subtract(state.fullAt()).max(BigInteger.ZERO);
    BigInteger beyond = full.subtract(BigInteger.valueOf(limit.slackNanos())).max(BigInteger.ZERO);
    BigInteger extra = price(one.amount - limit.burst()).divide(parts);
    return extra.min(beyond).min(BigInteger.valueOf(one.at - one.since)).longValueExact();
  }

  private BigInteger price(long amount) {
    return BigInteger.valueOf(amount).multiply(BigInteger.valueOf(limit.rate().nanos()));
  }

  private BigInteger whole(long nanos) {
    return BigInteger.valueOf(nanos).multiply(parts);
  }

  private BigInteger ceil(BigInteger fractions) {
    BigInteger[] parted = fractions.divideAndRemainder(parts);
    return parted[1].signum() > 0 ? parted[0].add(BigInteger.ONE) : parted[0];
  }

  private final class State {
    final long at;
    final BigInteger lack;

    State(long at, BigInteger lack) {
      this.at = at;
      this.lack = lack;
    }

    BigInteger lackAt(long now) {
      return lack.subtract(whole(now - at)).max(whole(-limit.slackNanos()));
    }

    BigInteger fullAt() {
      return BigInteger.valueOf(at).add(ceil(lack).max(BigInteger.ZERO));
    }
  }
}
