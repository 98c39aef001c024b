package dev.pacegate;

import static java.util.Objects.requireNonNull;

import dev.pacegate.engine.AsyncCall;
import dev.pacegate.engine.KeyLane;
import dev.pacegate.engine.KeyLanes;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The same limit for each of many keys: accounts, hosts, tenants; and if told so, a limit for all
 * of them together.
 *
 * <pre>{@code
 * KeyedLimiter<String> api = KeyedLimiter.<String>of("10/1m").within("100/1s");
 * String answer = api.call(account, () -> send(request));
 * }</pre>
 *
 * <p><b>Promise.</b> The limit's, for every key. {@link #within}: the limit for all is kept, too; a
 * request is charged to its key and to all, or to neither.
 *
 * <p><b>Order.</b> Those of one key wait in the order in which they came. Keys do not wait for each
 * other; where all have to wait for the limit for all, they take turns, so that no key can starve
 * another by asking often.
 *
 * <p><b>Memory.</b> A key that is used no more is dropped when its meter is at rest, so that a
 * fresh one decides the same, and within some ten milliseconds; never while it owes, waits or has a
 * permit open. Nothing ticks. There are at most {@link #maxKeys(int)} keys at a time, a million
 * unless stated; beyond, it is new ones that are refused, so nobody can push out what another key
 * owes.
 *
 * <p>Keys need {@code equals} and {@code hashCode}, as for a {@link
 * java.util.concurrent.ConcurrentHashMap}; they hold up nobody who waits or has a permit to end.
 * Thread-safe, as {@link Limiter} is, and all that it says of its verbs holds.
 *
 * @param <K> the keys
 */
public final class KeyedLimiter<K> implements AutoCloseable {

  private static final int MANY = 1_000_000;

  private final Limiter all;
  private final boolean closesAll;
  private final KeyLanes<K> keys;

  private KeyedLimiter(Limit perKey, Limiter all, boolean closesAll, int maxKeys) {
    this.all = all;
    this.closesAll = closesAll;
    this.keys = all.keys(perKey, maxKeys);
  }

  /**
   * Returns a limiter that keeps {@code perKey} for each key.
   *
   * @throws dev.pacegate.limit.LimitFormatException if the text is no limit
   */
  public static <K> KeyedLimiter<K> of(String perKey) {
    return of(Limits.parse(perKey));
  }

  /** Returns a limiter that keeps {@code perKey} for each key. */
  public static <K> KeyedLimiter<K> of(Limit perKey) {
    Limiter all = Limiter.builder(Limits.unlimited()).name(perKey + " per key").build();
    return new KeyedLimiter<>(perKey, all, true, MANY);
  }

  /**
   * Returns another limiter, of the same limit per key, that also keeps {@code all} for all keys
   * together.
   *
   * @throws dev.pacegate.limit.LimitFormatException if the text is no limit
   */
  public KeyedLimiter<K> within(String all) {
    Limit limit = Limits.parse(all);
    String name = keys.limit() + " per key within " + limit;
    return new KeyedLimiter<>(
        keys.limit(), Limiter.builder(limit).name(name).build(), true, keys.maxKeys());
  }

  /**
   * Returns another limiter, of the same limit per key, whose requests are also requests to {@code
   * all}, beside those made to it directly. It has that limiter's clock, executor, listener and
   * name, stands in its lane, and is steered by it: a pause of {@code all} is one for every key.
   */
  public KeyedLimiter<K> within(Limiter all) {
    return new KeyedLimiter<>(keys.limit(), requireNonNull(all), false, keys.maxKeys());
  }

  /**
   * Returns another limiter, of the same limits, that knows no more than {@code max} keys at a
   * time.
   *
   * @throws IllegalArgumentException if {@code max} is not positive
   */
  public KeyedLimiter<K> maxKeys(int max) {
    if (max < 1) {
      throw new IllegalArgumentException("maxKeys must be at least 1: " + max);
    }
    return new KeyedLimiter<>(keys.limit(), all, closesAll, max);
  }

  // ---- job first

  /**
   * Waits for a permit of cost 1, does {@code job}, and ends the permit as the outcome says: see
   * {@link Limiter#call(Job)}.
   *
   * @throws InterruptedException if interrupted while waiting; nothing has been charged
   * @throws RefusedException if no permit can be had
   * @throws IllegalStateException if the job hands back a future that is no stage, or a publisher
   * @throws X if the job throws it
   */
  public <T, X extends Exception> T call(K key, Job<T, X> job) throws X, InterruptedException {
    return call(key, Cost.ONE, job);
  }

  /** As {@link #call(Object, Job)}, at another cost. */
  public <T, X extends Exception> T call(K key, Cost cost, Job<T, X> job)
      throws X, InterruptedException {
    requireNonNull(job);
    return Limiter.run(acquire(key, cost), job);
  }

  /**
   * Does an asynchronous job as soon as there is a permit of cost 1: see {@link
   * Limiter#callAsync(Supplier)}.
   */
  public <T extends @Nullable Object> CompletableFuture<T> callAsync(
      K key, Supplier<? extends CompletionStage<T>> job) {
    return callAsync(key, Cost.ONE, job);
  }

  /** As {@link #callAsync(Object, Supplier)}, at another cost. */
  public <T extends @Nullable Object> CompletableFuture<T> callAsync(
      K key, Cost cost, Supplier<? extends CompletionStage<T>> job) {
    requireNonNull(job);
    return AsyncCall.start(acquireAsync(key, cost), job);
  }

  // ---- permit first

  /** As {@link #acquire(Object, Cost)}, at cost 1. */
  public Permit acquire(K key) throws InterruptedException {
    return acquire(key, Cost.ONE);
  }

  /**
   * Waits for a permit.
   *
   * @return the permit, to be ended: see {@link Permit}
   * @throws InterruptedException if interrupted before or while waiting; nothing has been charged
   * @throws TooManyKeysException if the key is a new one and there are too many
   * @throws RefusedException if no permit can be had
   */
  public Permit acquire(K key, Cost cost) throws InterruptedException {
    KeyLane<K> lane = pin(key);
    if (lane == null) {
      throw tooMany();
    }
    try {
      return view(lane).acquire(cost);
    } finally {
      keys.unpin(lane);
    }
  }

  /** As {@link #tryAcquire(Object, Cost)}, at cost 1. */
  public Optional<Permit> tryAcquire(K key) {
    return tryAcquire(key, Cost.ONE);
  }

  /**
   * Returns a permit if there is one now and nobody is waiting for it.
   *
   * @throws CostTooLargeException if the limits can never let the cost through
   * @throws LimiterClosedException if the limiter is closed
   */
  public Optional<Permit> tryAcquire(K key, Cost cost) {
    KeyLane<K> lane = pin(key);
    if (lane == null) {
      return Optional.empty();
    }
    try {
      return view(lane).tryAcquire(cost);
    } finally {
      keys.unpin(lane);
    }
  }

  /**
   * Waits for a permit for up to {@code maxWait}. If it is known that the wait would be longer, or
   * there are too many keys, the answer comes at once.
   *
   * @throws InterruptedException if interrupted before or while waiting; nothing has been charged
   * @throws CostTooLargeException if the limits can never let the cost through
   * @throws LimiterClosedException if the limiter is closed
   */
  public Optional<Permit> tryAcquire(K key, Cost cost, Duration maxWait)
      throws InterruptedException {
    KeyLane<K> lane = pin(key);
    if (lane == null) {
      return Optional.empty();
    }
    try {
      return view(lane).tryAcquire(cost, maxWait);
    } finally {
      keys.unpin(lane);
    }
  }

  /** As {@link #acquireAsync(Object, Cost)}, at cost 1. */
  public CompletableFuture<Permit> acquireAsync(K key) {
    return acquireAsync(key, Cost.ONE);
  }

  /** Returns a permit to come: see {@link Limiter#acquireAsync(Cost)}. */
  public CompletableFuture<Permit> acquireAsync(K key, Cost cost) {
    return acquireAsync(key, cost, Duration.ofSeconds(Long.MAX_VALUE));
  }

  /**
   * As {@link #acquireAsync(Object, Cost)}; fails with {@link WaitTooLongException} after {@code
   * maxWait}.
   */
  public CompletableFuture<Permit> acquireAsync(K key, Cost cost, Duration maxWait) {
    KeyLane<K> lane = pin(key);
    if (lane == null) {
      return CompletableFuture.failedFuture(tooMany());
    }
    try {
      return view(lane).acquireAsync(cost, maxWait);
    } finally {
      keys.unpin(lane);
    }
  }

  private @Nullable KeyLane<K> pin(K key) {
    return keys.pin(requireNonNull(key));
  }

  /** What asks in the lane of a key. */
  private Limiter view(KeyLane<K> lane) {
    return new Limiter(all, lane);
  }

  private TooManyKeysException tooMany() {
    return new TooManyKeysException(all.name(), keys.maxKeys());
  }

  // ---- steering

  /**
   * Returns a lower bound of how long a request would wait: see {@link Limiter#estimateWait}.
   *
   * @throws CostTooLargeException if the limits can never let it through
   */
  public Duration estimateWait(K key, Cost cost) {
    KeyLane<K> lane = pin(key);
    if (lane == null) {
      throw tooMany();
    }
    try {
      return view(lane).estimateWait(cost);
    } finally {
      keys.unpin(lane);
    }
  }

  /**
   * Notes that the peer has refused a request of {@code key}: see {@link Limiter#peerRefused}. Only
   * that key is paused.
   *
   * @throws TooManyKeysException if the key is a new one and there are too many
   */
  public void peerRefused(K key, Duration pause) {
    KeyLane<K> lane = pin(key);
    if (lane == null) {
      throw tooMany();
    }
    try {
      view(lane).peerRefused(pause);
    } finally {
      keys.unpin(lane);
    }
  }

  /**
   * Notes what the peer said of the limit of a permit's key: see {@link Limiter#peerCounted}.
   *
   * @return how much others have taken that was not known before
   */
  public long peerCounted(Permit permit, Quota quota) {
    return all.peerCounted(permit, quota);
  }

  /** Notes what time it was by the peer's clock: see {@link Limiter#peerDated}. */
  public void peerDated(Permit permit, Instant date) {
    all.peerDated(permit, date);
  }

  /**
   * Puts another limit per key in force, for those that wait and have permits open at once, for
   * others when they are next used: see {@link Limiter#setLimit}. A key that was dropped, because
   * all it had done was over for the limit of that time, begins afresh under a limit that looks
   * further back.
   */
  public void setLimit(Limit perKey) {
    all.knowNames(perKey);
    keys.setLimit(perKey);
  }

  /** As {@link #setLimit(Limit)}, given as text. */
  public void setLimit(String perKey) {
    setLimit(Limits.parse(perKey));
  }

  /** Returns the limit per key. */
  public Limit limit() {
    return keys.limit();
  }

  /** Returns what all keys together have as their limiter. */
  public Limiter all() {
    return all;
  }

  /** Returns how many keys are known now. */
  public int size() {
    return keys.size();
  }

  /**
   * Turns everybody away: those who wait, and whoever comes, with {@link LimiterClosedException}. A
   * limiter that this one was put {@link #within(Limiter)} is not closed.
   */
  @Override
  public void close() {
    if (closesAll) {
      all.close();
    } else {
      keys.close();
    }
  }

  /** Returns the name and the limits. */
  @Override
  public String toString() {
    return "KeyedLimiter[" + limit() + " per key, within " + all.limit() + "]";
  }
}
