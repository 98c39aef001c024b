package dev.pacegate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.spi.FedMeter;
import dev.pacegate.limit.spi.MeterSource;
import dev.pacegate.limit.spi.NewsSink;
import dev.pacegate.limit.spi.Past;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A source tells of a permit while requests come and go: none is left waiting while there is a
 * permit, and no permit is charged and not delivered.
 */
public final class NewsRace {

  private static final int PENDING = 0;
  private static final int PERMIT = 1;
  private static final int FAILED = 2;

  private NewsRace() {}

  private static int fate(CompletableFuture<Permit> future) {
    if (!future.isDone()) {
      return PENDING;
    }
    return future.isCompletedExceptionally() ? FAILED : PERMIT;
  }

  /** A limiter whose permits are told. */
  private static final class Fed implements MeterSource, FedMeter {
    final Limiter limiter = Limiter.builder("9/1h").executor(Runnable::run).source(this).build();
    private NewsSink sink;
    private int permits; // guarded by the gate

    void tell() {
      sink.tell(now -> permits++);
    }

    /** Returns how many are left, as the next visit sees it. */
    int left() {
      int[] seen = new int[1];
      sink.tell(now -> seen[0] = permits);
      return seen[0];
    }

    @Override
    public FedMeter newMeter(MeterContext context) {
      sink = context.sink();
      return this;
    }

    @Override
    public long nanosUntil(long since, long now, Cost cost) {
      return cost.amount() <= permits ? 0 : AT_EVENT;
    }

    @Override
    public long atLeast(long since, long now, Cost ahead, Cost cost) {
      return 0;
    }

    @Override
    public void release(long since, long now, Cost cost) {
      permits--;
    }

    @Override
    public Runnable errand(long now, Cost wanted) {
      return null;
    }

    @Override
    public void retire(long now) {}

    @Override
    public boolean recall(long now, Past past) {
      return false;
    }

    @Override
    public long restsIn(long now) {
      return 0;
    }

    @Override
    public void most(LongConsumer sink) {
      sink.accept(0);
    }
  }

  /** A request comes as the permit does. */
  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "it has the permit")
  @Outcome(expect = FORBIDDEN, desc = "it waits beside a permit, or lost it")
  @State
  public static class Acquire {
    private final Fed fed = new Fed();
    private CompletableFuture<Permit> future;

    @Actor
    public void tells() {
      fed.tell();
    }

    @Actor
    public void asks() {
      future = fed.limiter.acquireAsync();
    }

    @Arbiter
    public void after(II_Result r) {
      r.r1 = fate(future);
      r.r2 = fed.left();
    }
  }

  /** The head is cancelled as the permit comes: the next has it, or it came too late for that. */
  @JCStressTest
  @Outcome(id = "2, 1, 0", expect = ACCEPTABLE, desc = "the head is gone, the next has the permit")
  @Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "the head has the permit, the next waits")
  @Outcome(expect = FORBIDDEN, desc = "a waiter beside a permit, or a permit lost")
  @State
  public static class Cancel {
    private final Fed fed = new Fed();
    private final CompletableFuture<Permit> head = fed.limiter.acquireAsync();
    private final CompletableFuture<Permit> next = fed.limiter.acquireAsync();

    @Actor
    public void tells() {
      fed.tell();
    }

    @Actor
    public void cancels() {
      head.cancel(true);
    }

    @Arbiter
    public void after(III_Result r) {
      r.r1 = fate(head);
      r.r2 = fate(next);
      r.r3 = fed.left();
    }
  }

  /** The limiter is closed as the permit comes. */
  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "before: the waiter has it")
  @Outcome(id = "2, 1", expect = ACCEPTABLE, desc = "after: the waiter is refused, the permit left")
  @Outcome(expect = FORBIDDEN, desc = "left waiting, or a permit lost")
  @State
  public static class Close {
    private final Fed fed = new Fed();
    private final CompletableFuture<Permit> future = fed.limiter.acquireAsync();

    @Actor
    public void tells() {
      fed.tell();
    }

    @Actor
    public void closes() {
      fed.limiter.close();
    }

    @Arbiter
    public void after(II_Result r) {
      r.r1 = fate(future);
      r.r2 = fed.left();
    }
  }

  /** The permit is taken back as a thread that was called for it comes. */
  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "before: the waiter has it")
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "after: it waits on, and has it later")
  @Outcome(expect = FORBIDDEN, desc = "refused, or more permits went than there were")
  @State
  public static class TakeBack {
    private final Fed fed = new Fed();
    private CompletableFuture<Permit> future;

    @Actor
    public void tells() {
      fed.tell();
      fed.sink.tell(now -> fed.permits = 0);
    }

    @Actor
    public void asks() {
      future = fed.limiter.acquireAsync();
    }

    @Arbiter
    public void after(II_Result r) {
      r.r1 = fate(future);
      r.r2 = fed.left();
    }
  }
}
