package dev.pacegate.source;

import static java.util.Objects.requireNonNull;

import dev.pacegate.history.OpenRequest;
import dev.pacegate.history.Succession;
import dev.pacegate.history.Takeover;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.FedMeter;
import dev.pacegate.limit.spi.Losses;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.MeterSource;
import dev.pacegate.limit.spi.Past;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A source that counts in this process, by the meters that a limiter without a source has. */
public final class LocalSource implements MeterSource {

  @Override
  public FedMeter newMeter(MeterContext context) {
    return new LocalMeter(context);
  }

  /** Passes on everything to the limit's own meter, which needs no permits from outside. */
  private static final class LocalMeter implements FedMeter {

    private final MeterContext context;
    private final List<OpenRequest> open = new ArrayList<>();
    private @Nullable LocalMeter before;
    private long began;
    private Meter own;

    LocalMeter(MeterContext context) {
      this.context = context;
      began = context.now();
      own = Succession.PLAIN.first(context.limit(), context.now(), context.timeOfDay());
    }

    // ---- changes

    @Override
    public boolean goesOnFrom(long now, List<Meter> old) {
      before = (LocalMeter) old.get(0);
      began = before.began;
      takeOver();
      return true;
    }

    @Override
    public void adopt(long startedAt, Cost cost) {
      open.add(new OpenRequest(startedAt, cost));
      takeOver();
    }

    /** Making a successor changes nothing, so it is made anew for each open permit. */
    private void takeOver() {
      LocalMeter old = requireNonNull(before);
      own =
          Succession.PLAIN.successor(
              new Takeover(
                  old.context.limit(),
                  old.own,
                  began,
                  context.limit(),
                  context.now(),
                  context.timeOfDay(),
                  open));
    }

    @Override
    public void retire(long now) {}

    @Override
    public @Nullable Runnable errand(long now, Cost wanted) {
      return null;
    }

    // ---- asking

    @Override
    public long nanosUntil(long since, long now, Cost cost) {
      return own.nanosUntil(since, now, cost);
    }

    @Override
    public long atLeast(long since, long now, Cost ahead, Cost cost) {
      return own.atLeast(since, now, ahead, cost);
    }

    @Override
    public boolean tracks() {
      return own.tracks();
    }

    @Override
    public Measure measure() {
      return own.measure();
    }

    @Override
    public List<Meter> leaves() {
      return own.leaves();
    }

    @Override
    public boolean recall(long now, Past past) {
      return own.recall(now, past);
    }

    @Override
    public long restsIn(long now) {
      return own.restsIn(now);
    }

    @Override
    public long askAgainAfter() {
      return own.askAgainAfter();
    }

    @Override
    public void most(LongConsumer sink) {
      own.most(sink);
    }

    @Override
    public Losses losses(long now, Cost cost) {
      return own.losses(now, cost);
    }

    // ---- recording

    @Override
    public void release(long since, long now, Cost cost) {
      own.release(since, now, cost);
    }

    @Override
    public void startsLate(long now, Cost cost) {
      own.startsLate(now, cost);
    }

    @Override
    public void sent(long startedAt, long now, Cost cost) {
      own.sent(startedAt, now, cost);
    }

    @Override
    public void end(long startedAt, long now, Cost cost, Outcome end) {
      own.end(startedAt, now, cost, end);
    }

    @Override
    public void settle(long startedAt, long now, Cost charged, Cost actual) {
      own.settle(startedAt, now, charged, actual);
    }

    @Override
    public void settle(long releasedAt, long sentAt, long now, Cost charged, Cost actual) {
      own.settle(releasedAt, sentAt, now, charged, actual);
    }

    @Override
    public void dated(long startedAt, long now, Instant date) {
      own.dated(startedAt, now, date);
    }
  }
}
