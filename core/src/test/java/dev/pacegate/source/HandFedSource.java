package dev.pacegate.source;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.FedMeter;
import dev.pacegate.limit.spi.MeterSource;
import dev.pacegate.limit.spi.NewsSink;
import dev.pacegate.limit.spi.Past;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A source whose meters are fed by a test, and which writes down what it and they are told. */
public final class HandFedSource implements MeterSource {

  private static final long FOREVER = Long.MAX_VALUE;

  final List<HandFedMeter> meters = new ArrayList<>();
  final List<String> offered = new ArrayList<>();
  Predicate<Limit> refuses = limit -> false;
  boolean takesChanges;
  public int leasedAtFirst;
  @Nullable Runnable firstErrand; // of each meter
  boolean tracks;

  @Override
  public void check(Limit limit) {
    if (refuses.test(limit)) {
      throw new IllegalArgumentException("this source cannot count " + limit);
    }
  }

  @Override
  public FedMeter newMeter(MeterContext context) {
    var made = new HandFedMeter(context, tracks);
    made.leased = leasedAtFirst;
    made.errand = firstErrand;
    meters.add(made);
    return made;
  }

  @Override
  public boolean takesChange(Limit next, NewsSink sink) {
    offered.add(next.toString());
    return takesChanges;
  }

  /** Returns the only meter there is. */
  public HandFedMeter meter() {
    if (meters.size() != 1) {
      throw new AssertionError(meters.size() + " meters");
    }
    return meters.get(0);
  }

  public HandFedMeter last() {
    return meters.get(meters.size() - 1);
  }

  /** Lets through what it has been fed, until that ends. */
  public static final class HandFedMeter implements FedMeter {

    public final MeterContext context;
    final List<String> heard = new ArrayList<>();
    final List<Long> wanted = new ArrayList<>(); // each time it is asked for an errand
    private final boolean tracks;
    public long leased;
    long endsAt = FOREVER; // when the lease ends
    long asksAt = FOREVER; // when it wants to be asked for an errand
    @Nullable Runnable errand; // done at the next visit, and not again
    @Nullable Runnable always; // due at every visit
    Runnable whenAsked = () -> {}; // for an errand, inside the gate
    @Nullable RuntimeException fails;
    @Nullable String unavailable;
    boolean failing;
    private long most;

    HandFedMeter(MeterContext context, boolean tracks) {
      this.context = context;
      this.tracks = tracks;
    }

    /** Feeds permits from outside. */
    public void feed(long permits) {
      context.sink().tell(now -> leased += permits);
    }

    @Override
    public @Nullable String unavailable(long now) {
      return unavailable;
    }

    @Override
    public boolean fails(long now) {
      return failing;
    }

    private long leased(long now) {
      return now < endsAt ? leased : 0;
    }

    private void mayFail() {
      if (fails != null) {
        throw fails;
      }
    }

    @Override
    public long nanosUntil(long since, long now, Cost cost) {
      mayFail();
      if (cost.amount() <= leased(now)) {
        return 0;
      }
      return now < asksAt && asksAt != FOREVER ? asksAt - now : AT_EVENT;
    }

    @Override
    public long atLeast(long since, long now, Cost ahead, Cost cost) {
      mayFail();
      return 0;
    }

    @Override
    public void release(long since, long now, Cost cost) {
      heard.add("release " + cost.amount() + "@" + now);
      mayFail();
      leased -= cost.amount();
      most = Math.max(most, cost.amount());
    }

    /** What its limit counts; it is fed plain costs all the same. */
    @Override
    public Measure measure() {
      return context.limit().promises().get(0).of();
    }

    @Override
    public boolean tracks() {
      return tracks;
    }

    @Override
    public void end(long startedAt, long now, Cost cost, Outcome end) {
      heard.add("end " + cost.amount() + " of " + startedAt + "@" + now + " " + end);
      mayFail();
    }

    @Override
    public void adopt(long startedAt, Cost cost) {
      heard.add("adopt " + cost.amount() + " of " + startedAt);
    }

    @Override
    public void settle(long startedAt, long now, Cost charged, Cost actual) {
      heard.add("settle " + charged.amount() + " to " + actual.amount());
      leased -= actual.amount() - charged.amount();
    }

    @Override
    public void retire(long now) {
      heard.add("retire@" + now);
    }

    @Override
    public @Nullable Runnable errand(long now, Cost cost) {
      wanted.add(cost.amount());
      whenAsked.run();
      mayFail();
      Runnable due = errand;
      errand = null;
      return due == null ? always : due;
    }

    long lastWanted() {
      return wanted.get(wanted.size() - 1);
    }

    @Override
    public boolean recall(long now, Past past) {
      return false;
    }

    @Override
    public long restsIn(long now) {
      return leased == 0 || now >= endsAt ? 0 : endsAt == FOREVER ? AT_EVENT : endsAt - now;
    }

    @Override
    public void most(LongConsumer sink) {
      mayFail();
      for (Promise promise : context.limit().promises()) {
        sink.accept(promise == null ? 0 : most);
      }
    }
  }
}
