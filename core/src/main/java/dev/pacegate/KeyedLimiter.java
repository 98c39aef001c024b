package dev.pacegate;

import static java.util.Objects.requireNonNull;

import dev.pacegate.engine.KeyLanes;
import dev.pacegate.engine.KeySeat;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The same limit for each of many keys: accounts, hosts, tenants; and if wanted, a limit for all of
 * them together.
 *
 * <pre>{@code
 * KeyedLimiter<String> api = KeyedLimiter.builder("10/1m").within("100/1s").build();
 * String answer = api.call(account, () -> send(request));
 * Limiter one = api.limiter(account);                     // with every verb of a limiter
 * one.setLimit("50/1m");                                  // a larger plan
 * }</pre>
 *
 * <p><b>Promise.</b> The limit's, for every key. {@link Builder#within(Limit)}: the limit for all
 * is kept, too; a request is charged once to its key and once to all, or to neither.
 *
 * <p><b>Order.</b> Requests of one key wait in the order in which they came. Keys do not wait for
 * each other; where all have to wait for the limit for all, they take turns, so that no key can
 * starve another by asking often.
 *
 * <p><b>Memory.</b> A key that is used no more is dropped when its meter is at rest, so that a
 * fresh one decides the same, and within some ten milliseconds; never while it owes, waits, is
 * paused or has a permit open. Nothing ticks. There are at most {@link Builder#maxKeys} keys at a
 * time; beyond, new keys are refused with {@link TooManyKeysException} ({@code tryAcquire} returns
 * empty), so new keys never evict a key in debt. A keyed limiter that the program no longer refers
 * to is collected, whatever its keys owe; {@link #close} frees everything at once.
 *
 * <p>Keys need {@code equals} and {@code hashCode}, as for a {@link
 * java.util.concurrent.ConcurrentHashMap}; they hold up no other key's waiters and permits.
 * Thread-safe, as {@link Limiter} is.
 *
 * @param <K> the keys
 */
public final class KeyedLimiter<K> implements AutoCloseable {

  private final Limiter all;
  private final boolean closesAll;
  private final KeyLanes<K> keys;

  private KeyedLimiter(Limiter all, boolean closesAll, KeyLanes<K> keys) {
    this.all = all;
    this.closesAll = closesAll;
    this.keys = keys;
  }

  /**
   * Returns a limiter that keeps {@code perKey} for each key.
   *
   * @throws dev.pacegate.limit.LimitFormatException if the text is no limit
   */
  @CheckReturnValue
  public static <K> KeyedLimiter<K> of(String perKey) {
    return of(Limits.parse(perKey));
  }

  /** Returns a limiter that keeps {@code perKey} for each key. */
  @CheckReturnValue
  public static <K> KeyedLimiter<K> of(Limit perKey) {
    return builder(perKey).build();
  }

  /**
   * Begins a limiter that keeps {@code perKey} for each key.
   *
   * @throws dev.pacegate.limit.LimitFormatException if the text is no limit
   */
  @CheckReturnValue
  public static Builder builder(String perKey) {
    return builder(Limits.parse(perKey));
  }

  /** Begins a limiter that keeps {@code perKey} for each key. */
  @CheckReturnValue
  public static Builder builder(Limit perKey) {
    return new Builder(perKey);
  }

  // ---- one key

  /**
   * Returns the limiter of {@code key}: a view that can be used wherever a limiter can, by streams,
   * throttlers, executors and HTTP clients, any number of times and for any time.
   *
   * <p><b>It keeps nothing.</b> A view of a new key takes no room among the keys, and one that is
   * not in use keeps no key from being dropped; each verb makes the key known if it is not. A verb
   * for a new key where there are too many throws {@link TooManyKeysException}, or a future fails
   * with it; {@code tryAcquire} returns empty, and {@code peerRefused} has no effect.
   *
   * <p><b>What is of this key alone</b>:
   *
   * <ul>
   *   <li>{@code pause}, {@code pauseFor}, {@code resume}, {@code peerRefused}: a key is not
   *       dropped while it is paused. Pauses of {@link #all()} hold as well.
   *   <li>{@code setLimit} gives the key a limit of its own, which outlives the dropping of the
   *       key, and {@link KeyedLimiter#setLimit}; to set the common limit takes it back. The ages
   *       at which permits are warned about or given up ({@code abandon}) stay those of the common
   *       limit. Each such limit takes memory until it is taken back.
   *   <li>{@code limit}, and {@code snapshot}: its limit, what was granted since the key has been
   *       known, and the most counted at once, what waits and is open, and whether it is paused or
   *       all are. The other counts are kept for all keys together and 0 here.
   *   <li>{@code close} turns away those who wait for this key now. The key itself goes on: it is
   *       the keyed limiter that is closed for good.
   * </ul>
   *
   * <p>{@code lane} and {@code dryRun} are refused with {@link UnsupportedOperationException}:
   * they are for {@link #all()}.
   */
  @CheckReturnValue
  public Limiter limiter(K key) {
    return all.ofKey(new KeySeat<>(keys, requireNonNull(key)));
  }

  /** As {@link Limiter#call(Job)}, for a request of {@code key}. */
  public <T, X extends Exception> T call(K key, Job<T, X> job) throws X, InterruptedException {
    return limiter(key).call(job);
  }

  /** As {@link Limiter#run(Task)}, for a request of {@code key}. */
  public <X extends Exception> void run(K key, Task<X> task) throws X, InterruptedException {
    limiter(key).run(task);
  }

  /** As {@link Limiter#callAsync(Supplier)}, for a request of {@code key}. */
  public <T extends @Nullable Object> CompletableFuture<T> callAsync(
      K key, Supplier<? extends CompletionStage<T>> job) {
    return limiter(key).callAsync(job);
  }

  /** As {@link Limiter#acquire()}, for a request of {@code key}. */
  public Permit acquire(K key) throws InterruptedException {
    return limiter(key).acquire();
  }

  /** As {@link Limiter#tryAcquire()}, for a request of {@code key}. */
  public Optional<Permit> tryAcquire(K key) {
    return Limiter.optional(keys.tryNow(requireNonNull(key)));
  }

  /** As {@link Limiter#acquireAsync()}, for a request of {@code key}. */
  public CompletableFuture<Permit> acquireAsync(K key) {
    return limiter(key).acquireAsync();
  }

  // ---- all keys

  /**
   * Puts another limit per key in force, for those that wait and have permits open at once, for
   * others when they are next used: see {@link Limiter#setLimit}. Keys with a limit of their own
   * keep that. A key that was dropped, because all it had done was over for the limit of that time,
   * begins afresh under a limit that looks further back.
   */
  public void setLimit(Limit perKey) {
    keys.setLimit(requireNonNull(perKey));
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
   * Turns away all waiters of any key, and all later callers, with {@link LimiterClosedException},
   * and forgets all keys. Permits that are open may still be ended. A limiter that this one was put
   * {@link Builder#within(Limiter) within} is not closed.
   */
  @Override
  public void close() {
    keys.close();
    if (closesAll) {
      all.close();
    }
  }

  /** Returns the limits. */
  @Override
  public String toString() {
    return "KeyedLimiter[" + limit() + " per key, within " + all.limit() + "]";
  }

  /** The options of a keyed limiter; all have a default. */
  public static final class Builder {

    private static final int MANY = 1_000_000;

    private final Limit perKey;
    private final Limiter.Builder options = Limiter.builder(Limits.unlimited());
    private @Nullable String lastOption; // of those that are the limiter's for all
    private @Nullable Limit within;
    private @Nullable Limiter all;
    private @Nullable String name;
    private int maxKeys = MANY;
    private int maxWaitingPerKey = Integer.MAX_VALUE;

    private Builder(Limit perKey) {
      this.perKey = requireNonNull(perKey);
    }

    /**
     * Sets a limit that all keys together keep besides.
     *
     * @throws dev.pacegate.limit.LimitFormatException if the text is no limit
     */
    public Builder within(String all) {
      return within(Limits.parse(all));
    }

    /** As {@link #within(String)}, given as a value. */
    public Builder within(Limit all) {
      this.within = requireNonNull(all);
      this.all = null;
      return this;
    }

    /**
     * Has every request be one to {@code all} as well, beside those made to it directly. The keys
     * have that limiter's clock, executor, listener, name and bounds, stand in its {@linkplain
     * Limiter#lane lane}, and are steered by it: a pause of {@code all} is one for every key.
     */
    public Builder within(Limiter all) {
      this.all = requireNonNull(all);
      this.within = null;
      return this;
    }

    /** Bounds how many keys are known at a time; a million unless given. */
    public Builder maxKeys(int max) {
      if (max < 1) {
        throw new IllegalArgumentException("maxKeys must be at least 1: " + max);
      }
      this.maxKeys = max;
      return this;
    }

    /**
     * Bounds how many may wait for one key; further callers of that key are refused with {@link
     * WaitQueueFullException}, and other keys are not concerned. Unbounded unless given.
     *
     * @throws IllegalArgumentException if {@code max} is negative
     */
    public Builder maxWaitingPerKey(int max) {
      if (max < 0) {
        throw new IllegalArgumentException("maxWaitingPerKey must not be negative: " + max);
      }
      this.maxWaitingPerKey = max;
      return this;
    }

    /** Bounds how many may wait for all keys together: see {@link Limiter.Builder#maxWaiting}. */
    public Builder maxWaiting(int max) {
      options.maxWaiting(max);
      return with("maxWaiting");
    }

    /** Names the limiter in messages and snapshots; its limits unless given. */
    public Builder name(String name) {
      this.name = requireNonNull(name);
      return with("name");
    }

    /** Sets the clock and the timer: see {@link Limiter.Builder#time}. */
    public Builder time(Time time) {
      options.time(time);
      return with("time");
    }

    /** Sets where futures are completed: see {@link Limiter.Builder#executor}. */
    public Builder executor(Executor executor) {
      options.executor(executor);
      return with("executor");
    }

    /** Has the end of waits spent spinning: see {@link Limiter.Builder#spin}. */
    public Builder spin(Duration span) {
      options.spin(span);
      return with("spin");
    }

    /** Makes every permit know its release: see {@link Limiter.Builder#stamped}. */
    public Builder stamped(boolean stamped) {
      options.stamped(stamped);
      return with("stamped");
    }

    /** Sets how a permit ends whose job failed: see {@link Limiter.Builder#classifier}. */
    public Builder classifier(Function<? super Throwable, Outcome> classifier) {
      options.classifier(classifier);
      return with("classifier");
    }

    /** Sets who is told what becomes of requests of all keys. */
    public Builder listener(LimiterListener listener) {
      options.listener(listener);
      return with("listener");
    }

    private Builder with(String option) {
      lastOption = option;
      return this;
    }

    /**
     * Returns the limiter.
     *
     * @param <K> the keys
     * @throws IllegalStateException if it is {@link #within(Limiter)} a limiter and has an option
     *     that is that limiter's
     * @throws IllegalArgumentException if it is within the limiter of a key
     */
    @CheckReturnValue
    public <K> KeyedLimiter<K> build() {
      Limiter given = all;
      if (given != null && lastOption != null) {
        throw new IllegalStateException(
            lastOption + " is that of the limiter given to within: set it there");
      }
      Limiter around = given == null ? limiterForAll() : given;
      KeyLanes<K> keys = around.keys(perKey, maxKeys, maxWaitingPerKey);
      return new KeyedLimiter<>(around, given == null, keys);
    }

    private Limiter limiterForAll() {
      Limit limit = within == null ? Limits.unlimited() : within;
      String text = perKey + " per key" + (within == null ? "" : " within " + within);
      return options.limit(limit).name(name == null ? text : name).build();
    }
  }
}
