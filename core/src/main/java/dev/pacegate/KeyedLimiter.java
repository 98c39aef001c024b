package dev.pacegate;

import static java.util.Objects.requireNonNull;

import dev.pacegate.context.ContextPropagator;
import dev.pacegate.engine.keys.KeyGroups;
import dev.pacegate.engine.keys.KeyLanes;
import dev.pacegate.engine.keys.KeySeat;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.MeterSource;
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
 * The same limit for each of many keys, such as accounts, hosts or tenants, and optionally a limit
 * for all keys together.
 *
 * <pre>{@code
 * KeyedLimiter<String> api = KeyedLimiter.builder("10/1m").within("100/1s").build();
 * String answer = api.call(account, () -> send(request));
 * Limiter one = api.limiter(account);                     // with every verb of a limiter
 * one.setLimit("50/1m");                                  // a larger plan
 * }</pre>
 *
 * <p><b>Promise.</b> Every key keeps the limit. With {@link Builder#within(Limit)} all keys
 * together keep that limit, too: a request is charged once to its key and once to all, or to
 * neither. Keys can be in groups that keep limits of their own: {@link Builder#within(KeyedLimiter,
 * Function)}.
 *
 * <p><b>Order.</b> Requests of one key go first in, first out. Keys do not wait for each other.
 * When several keys wait for the limit for all, they take turns, so no key can starve another by
 * asking often.
 *
 * <p><b>Memory.</b> An unused key is dropped within some ten milliseconds of the instant from which
 * a fresh key would decide the same. A key in debt, with waiters, with open permits or paused is
 * never dropped. There is no background tick. At most {@link Builder#maxKeys} keys are known at a
 * time, those with a limit of their own included; further keys are refused with {@link
 * TooManyKeysException} ({@code tryAcquire} returns empty), so new keys never evict a key in debt.
 * A keyed limiter that the program no longer refers to is garbage-collected, whatever its keys owe;
 * {@link #close} frees everything at once.
 *
 * <p>Keys need {@code equals} and {@code hashCode}, as for a {@link
 * java.util.concurrent.ConcurrentHashMap}. Thread-safe, as {@link Limiter} is.
 *
 * @param <K> the type of keys
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
   * Returns the limiter of {@code key}: a view that streams, throttlers, executors and HTTP clients
   * take as they take any limiter. Views are cheap and may be kept for any time.
   *
   * <p><b>A view holds no state.</b> The view of a new key uses no memory, and an idle view does
   * not keep a key from being dropped; each call makes the key known if it is not. If there are too
   * many keys, a call for a new one throws {@link TooManyKeysException}, or its future fails with
   * it; {@code tryAcquire} returns empty, and {@code peerRefused} and refusals {@linkplain
   * Limiter#heard heard} have no effect.
   *
   * <p><b>These concern this key alone</b>:
   *
   * <ul>
   *   <li>{@code pause}, {@code pauseFor}, {@code resume}, {@code peerRefused}, {@code heard}: a
   *       paused key is not dropped. Pauses of {@link #all()} hold as well, and its {@code resume}
   *       ends that of a key.
   *   <li>{@code setLimit} gives the key a limit of its own, which outlives the dropping of the key
   *       and calls of {@link KeyedLimiter#setLimit}. Setting the common limit removes it. Warning
   *       and abandonment ages ({@code abandon}) stay those of the common limit. A key with such a
   *       limit counts for {@link Builder#maxKeys} until it is removed; if there is no room for one
   *       more, {@code setLimit} throws {@link TooManyKeysException}.
   *   <li>{@code limit} and {@code snapshot}: the key's limit; what has happened to its requests
   *       since the key has been known, waits included; the most counted at once; what waits and is
   *       open; and whether the key or all keys are paused. A key that is dropped and used again
   *       counts from 0. {@link #all()} counts what happens to all keys.
   *   <li>Of a key that other keys are {@linkplain Builder#within(KeyedLimiter, Function) within},
   *       all this concerns these keys, too: they pause with it, and its snapshot counts their
   *       requests.
   *   <li>{@code close} refuses the key's present waiters. The key itself stays usable: only
   *       closing the keyed limiter is final.
   * </ul>
   *
   * <p>{@code lane} and {@code dryRun} throw {@link UnsupportedOperationException}: call them on
   * {@link #all()}.
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
   * Replaces the limit per key. Keys with open permits change at once and the others that wait one
   * after another, so that other callers are not held up; meanwhile no key gets a permit under the
   * former limit. Idle keys change at their next use. See {@link Limiter#setLimit}. Keys with a
   * limit of their own keep it. A key that was dropped, because under the former limit nothing of
   * it counted any more, starts afresh under a limit that reaches further back.
   *
   * @throws IllegalArgumentException if the limit is of a kind of your own whose meter contradicts
   *     its promises; the limit in force stays
   */
  public void setLimit(Limit perKey) {
    keys.setLimit(requireNonNull(perKey));
  }

  /**
   * As {@link #setLimit(Limit)}, given as text.
   *
   * @throws dev.pacegate.limit.LimitFormatException if the text is no limit
   */
  public void setLimit(String perKey) {
    setLimit(Limits.parse(perKey));
  }

  /** Returns the limit per key. */
  public Limit limit() {
    return keys.limit();
  }

  /**
   * Returns the limiter of all keys together. What it is told concerns every key:
   *
   * <ul>
   *   <li>{@code pause}, {@code pauseFor}, {@code peerRefused} and {@code heard} stop all keys.
   *   <li>{@code resume} ends any pause: of all keys together, and of each single key, whether the
   *       program or the peer began it.
   *   <li>{@code setLimit} and {@code limit}: the limit that all keys keep together, as given to
   *       {@link Builder#within(Limit)}. {@link KeyedLimiter#setLimit} sets the limit of each key.
   *       Neither ends a pause.
   *   <li>{@code dryRun} lets every request of every key through, and records what either limit
   *       would have done.
   *   <li>{@code snapshot} counts what happens to all keys, and to requests of its own, which are
   *       of no key.
   *   <li>{@code close} closes all keys, too.
   * </ul>
   */
  public Limiter all() {
    return all;
  }

  /** Returns how many keys are known now: those in use, and those with a limit of their own. */
  public int size() {
    return keys.size();
  }

  /**
   * Refuses all waiters of all keys, and all later callers, with {@link LimiterClosedException},
   * and drops all keys. Open permits may still be ended. A limiter given to {@link
   * Builder#within(Limiter)} is not closed.
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

  /** Sets the options of a keyed limiter. Every option has a default. Not thread-safe. */
  public static final class Builder {

    private static final int MANY = 1_000_000;

    private final Limit perKey;
    private final Limiter.Builder options = Limiter.builder(Limits.unlimited());
    private @Nullable String lastOption; // of those that are the limiter's for all
    private @Nullable Limit within;
    private @Nullable Limiter all;
    private @Nullable String name;
    private @Nullable MeterSource source;
    private int maxKeys = MANY;
    private int maxWaitingPerKey = Integer.MAX_VALUE;

    private Builder(Limit perKey) {
      this.perKey = requireNonNull(perKey);
    }

    /**
     * Sets a limit that all keys together keep as well. Default: none.
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
     * Makes every request also one to {@code all}, which may have requests of its own. The keys use
     * that limiter's clock, executor, listener, name and bounds, wait in its {@linkplain
     * Limiter#lane lane}, and pause with it.
     */
    public Builder within(Limiter all) {
      this.all = requireNonNull(all);
      this.within = null;
      return this;
    }

    /**
     * Makes every request of a key also one of its group, which is a key of {@code groups}: a
     * request is charged to its key, its group and all that these are within, or to none of them.
     *
     * <pre>{@code
     * KeyedLimiter<String> teams = KeyedLimiter.builder("100/1m").within("1000/1m").build();
     * KeyedLimiter<User> users =
     *     KeyedLimiter.builder("10/1m").within(teams, (User user) -> user.team()).build();
     * }</pre>
     *
     * <p>With one more {@link Within#within within} the keys are in groups of several kinds. Such
     * keys often have the limit {@code unlimited} of their own:
     *
     * <pre>{@code
     * KeyedLimiter.builder("unlimited")
     *     .within(accounts, Call::account)
     *     .within(endpoints, Call::endpoint)
     *     .build();
     * }</pre>
     *
     * <p><b>The group of a key.</b> {@code groupOf} is called when a key becomes known, by the
     * thread that brings it and with no lock held. What it throws goes to the caller, and nothing
     * is charged. The key stays in that group until it is dropped; what is dropped owes nothing of
     * its own. A group stays known while one of its keys is. If there are too many groups, requests
     * of new ones are refused as those of new keys are.
     *
     * <p><b>Order.</b> Requests of one key go first in, first out. The keys of a group take turns,
     * and so do requests of the group itself; groups take turns for what they are within, however
     * many keys they have. A key in groups of several kinds takes turns in the one that it waits
     * for. While other keys keep two of its groups used up at different times, it may wait for as
     * long as they do.
     *
     * <p>Keys in groups use the clock, executor, listener and name of the limiter that {@code
     * groups} are within, and wait in its lane. They have no {@link #source}.
     *
     * @param <K> the type of keys
     * @param <G> the type of keys of the groups
     * @throws IllegalArgumentException if the groups have a {@link #source}
     */
    public <K, G> Within<K> within(
        KeyedLimiter<G> groups, Function<? super K, ? extends G> groupOf) {
      return new Within<K>(this, groups.all).within(groups, groupOf);
    }

    /**
     * Takes the permits of each key from {@code source}: see {@link Limiter.Builder#source}. The
     * limit {@code within} is not the source's; give {@link #within(Limiter)} a limiter that has a
     * source. A limiter around keys with a source gives up its fast path. Default: none.
     */
    public Builder source(MeterSource source) {
      this.source = requireNonNull(source);
      return this;
    }

    /**
     * Bounds how many keys are known at a time: those in use, and those with a limit of their own,
     * in use or not. Default: a million.
     *
     * @throws IllegalArgumentException if {@code max} is less than 1
     */
    public Builder maxKeys(int max) {
      if (max < 1) {
        throw new IllegalArgumentException("maxKeys must be at least 1: " + max);
      }
      this.maxKeys = max;
      return this;
    }

    /**
     * Bounds how many may wait for one key. Further callers for that key are refused with {@link
     * WaitQueueFullException}; other keys are not affected. Default: unbounded.
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

    /**
     * Bounds how many may wait for all keys together: see {@link Limiter.Builder#maxWaiting}.
     *
     * @throws IllegalArgumentException if {@code max} is negative
     */
    public Builder maxWaiting(int max) {
      options.maxWaiting(max);
      return with("maxWaiting");
    }

    /** Names the limiter in messages and snapshots. Default: the text of its limits. */
    public Builder name(String name) {
      this.name = requireNonNull(name);
      return with("name");
    }

    /** Sets the clock and the timer: see {@link Limiter.Builder#time}. */
    public Builder time(Time time) {
      options.time(time);
      return with("time");
    }

    /** Sets the executor that completes futures: see {@link Limiter.Builder#executor}. */
    public Builder executor(Executor executor) {
      options.executor(executor);
      return with("executor");
    }

    /** Sets what carries the context of callers: see {@link Limiter.Builder#context}. */
    public Builder context(ContextPropagator propagator) {
      options.context(propagator);
      return with("context");
    }

    /** Makes waiters spin at the end of a wait: see {@link Limiter.Builder#spin}. */
    public Builder spin(Duration span) {
      options.spin(span);
      return with("spin");
    }

    /** Makes every permit know the instant of its release: see {@link Limiter.Builder#stamped}. */
    public Builder stamped(boolean stamped) {
      options.stamped(stamped);
      return with("stamped");
    }

    /** Sets how a permit ends whose job failed: see {@link Limiter.Builder#classifier}. */
    public Builder classifier(Function<? super Throwable, Outcome> classifier) {
      options.classifier(classifier);
      return with("classifier");
    }

    /** Sets a listener that receives events of all keys. Default: none. */
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
     * @param <K> the type of keys
     * @throws IllegalStateException if it is {@link #within(Limiter)} a limiter and sets an option
     *     that belongs to that limiter
     * @throws IllegalArgumentException if it is within the limiter of a key, or its {@link #source}
     *     does not support the limit
     */
    @CheckReturnValue
    public <K> KeyedLimiter<K> build() {
      Limiter given = all;
      if (given != null && lastOption != null) {
        throw new IllegalStateException(
            lastOption + " belongs to the limiter given to within: set it there");
      }
      Limiter around = given == null ? limiterForAll() : given;
      KeyLanes<K> keys = around.keys(perKey, maxKeys, maxWaitingPerKey, source);
      return new KeyedLimiter<>(around, given == null, keys);
    }

    private <K> KeyedLimiter<K> build(Limiter around, KeyGroups<K> groups) {
      String option = source != null ? "source" : within != null ? "within" : lastOption;
      if (option != null || all != null) {
        throw new IllegalStateException(
            (option == null ? "within" : option)
                + " is not for keys within keys: set it where the outermost limiter is made");
      }
      return new KeyedLimiter<>(around, false, groups.keys(perKey, maxKeys, maxWaitingPerKey));
    }

    private Limiter limiterForAll() {
      Limit limit = within == null ? Limits.unlimited() : within;
      String text = perKey + " per key" + (within == null ? "" : " within " + within);
      return options.limit(limit).name(name == null ? text : name).build();
    }
  }

  /**
   * Sets in which groups the keys of a keyed limiter are: see {@link Builder#within(KeyedLimiter,
   * Function)}. Not thread-safe.
   *
   * @param <K> the type of keys
   */
  public static final class Within<K> {

    private final Builder builder;
    private final Limiter all;
    private KeyGroups<K> groups = KeyGroups.none();

    private Within(Builder builder, Limiter all) {
      this.builder = builder;
      this.all = all;
    }

    /**
     * Makes every request of a key also one of another group.
     *
     * @throws IllegalArgumentException if the groups have a {@link Builder#source}, or are not
     *     within the same limiter as the other groups
     */
    public <G> Within<K> within(KeyedLimiter<G> groups, Function<? super K, ? extends G> groupOf) {
      this.groups = this.groups.and(groups.keys, requireNonNull(groupOf));
      return this;
    }

    /**
     * Returns the limiter.
     *
     * @throws IllegalStateException if an option was set that belongs to the outermost limiter
     */
    @CheckReturnValue
    public KeyedLimiter<K> build() {
      return builder.build(all, groups);
    }
  }
}
