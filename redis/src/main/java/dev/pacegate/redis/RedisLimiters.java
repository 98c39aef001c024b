package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.context.ContextPropagator;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.spi.MeterSource;
import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.WeakHashMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Limiters of limits that several processes share through Redis: all of them together never pass
 * the limit.
 *
 * <pre>{@code
 * try (var redis = RedisLimiters.connect("redis://127.0.0.1:6379")) {
 *   Limiter api = redis.limiter("api", "peer(100/1s)");
 *   api.call(() -> http.send(request, handler));
 * }
 * }</pre>
 *
 * <p><b>Promise.</b> That of the limit, for all processes together that use the same name on the
 * same server. It holds whatever calls or replies are lost, whichever process or server dies, is
 * stopped or restarted, and whatever the server forgets. After a restart, or a loss of what the
 * server knew, no permit is given for the length of a <em>fence</em>, which the log tells; a
 * restart of a server that is {@linkplain Builder#durable() said to lose nothing} needs none.
 *
 * <p><b>Assumed.</b> A process's clock and the server's run at the same rate but for a thousandth.
 * A lost request is counted at most {@code unanswered} after its start, and a thread that was let
 * through sends within that time. A process whose requests last longer than that stays in touch
 * with the server. A replica that is promoted while its primary may go on was attached to it, and
 * had confirmed what it has, during some call of the name, or {@link Builder#partition} states for
 * how long the primary may. A replica that is promoted after its primary lost everything had
 * followed it since. A primary that was replaced is not started again as a primary, without its
 * file or with an old one. {@code min-replicas-to-write 1} in its settings covers both. A replica
 * that was {@linkplain Operations#forgetReplica forgotten} never takes over with the data that it
 * has, and each has an address of its own. No machine is suspended while a request is between its
 * permit and the network. After a suspension a machine's time of day has gone on, as it has not in
 * a virtual machine that was paused and is not told the time; one shorter than E/8 is not noticed,
 * where E is how long a lease may be used. A server that has forgotten all has forgotten {@link
 * Limiter#setLimit} too: then the limit is that of the process which calls first. No other program
 * writes the keys {@code pacegate:{name}…}. If the clock of Redis is set forward, a process sees
 * it: one that goes on sees each step that is longer than a call, one that has just begun sees a
 * step of more than 5 s if its own wall clock is right and was not set too.
 *
 * <p><b>Supported.</b> Windows, buckets, spacings and {@code concurrent}, with and without {@code
 * peer}, also {@code of} a name, and several of them joined by {@code &}; the same {@linkplain
 * #keyed(String, String) for each of many keys}. A cost above a bucket's burst is refused. Redis
 * 6.2 or later: one server, a primary with replicas, one that Sentinel names, or a Redis Cluster,
 * whose slots are moved with their keys, and in which no replica takes over without the majority
 * ({@code TAKEOVER}). All else is refused with the reason.
 *
 * <p>One connection, of a cluster one to each node that is used; no thread of its own but those of
 * the Redis client, no call while no request waits and none is under way, unless the server has not
 * answered the last one. Thread-safe.
 */
public final class RedisLimiters implements AutoCloseable {

  private static final Duration LONGEST_FAREWELL = Duration.ofSeconds(1);

  private final Nodes nodes;
  private final Settings settings;
  private final Time time;
  private final @Nullable ContextPropagator context; // the default if null
  private final List<Limiter> limiters = new ArrayList<>();
  private final Collection<SharedSource> sources =
      Collections.newSetFromMap(new WeakHashMap<>()); // guarded by limiters
  private boolean closed; // guarded by limiters

  private RedisLimiters(
      Nodes nodes, Settings settings, Time time, @Nullable ContextPropagator context) {
    this.nodes = nodes;
    this.settings = settings;
    this.time = time;
    this.context = context;
  }

  /**
   * Connects to a server, such as {@code redis://user:password@host:6379/0} or, with TLS, {@code
   * rediss://…}; or to the primary that Sentinel names, as {@code
   * redis-sentinel://host:26379,other:26379/0#name}, wherever that is; or, by the address of any
   * node, to the nodes of a Redis Cluster.
   *
   * @throws io.lettuce.core.RedisException if it cannot be reached, or refuses
   * @throws IllegalStateException if it cannot keep the promise; the message says why
   */
  public static RedisLimiters connect(String uri) {
    return builder(uri).connect();
  }

  /**
   * Returns a builder for the server there, as {@link #connect}.
   *
   * @throws IllegalArgumentException if this is no such address
   */
  public static Builder builder(String uri) {
    var parsed = ServerUri.parse(requireNonNull(uri));
    return new Builder((settings, time) -> Connector.connect(parsed, settings, time));
  }

  /**
   * Returns a builder for the server of {@code client}, with the client's own options. The client
   * stays open when these limiters are closed.
   *
   * <p>Its options say how soon it connects again, and how soon it notices that the server, or a
   * network, has forgotten a connection without a word. By default that takes a quarter of an hour.
   * So one that asks Sentinel, or whose address moves to the new primary, needs {@code
   * SocketOptions.tcpUserTimeout} of some seconds, and {@code SocketOptions.connectTimeout} and a
   * timeout of {@code RedisURI} as short; otherwise a process stays with a primary that stands
   * still.
   */
  public static Builder builder(RedisClient client) {
    requireNonNull(client);
    return new Builder((settings, time) -> Connector.connect(client, settings, time));
  }

  /**
   * Returns a builder for the cluster of {@code client}, with the client's own options. The client
   * stays open when these limiters are closed. It tells who has which slots, and is asked again
   * when a call fails, whatever its {@code ClusterTopologyRefreshOptions} say. Each node has one
   * connection of its own, made with the client's resources and options; those need what {@link
   * #builder(RedisClient)} says of a client that asks Sentinel.
   */
  public static Builder builder(RedisClusterClient client) {
    requireNonNull(client);
    return new Builder((settings, time) -> Connector.connect(client, settings, time));
  }

  /**
   * Returns a limiter of the limit of that name. If the server knows another limit of this name,
   * that one is in force; {@link Limiter#setLimit} changes it for all processes.
   *
   * @param name of the limit, the same in all processes that share it; not empty
   * @param limit such as {@code peer(100/1s)}
   * @throws IllegalArgumentException if the limit cannot be shared; the message says why
   * @throws IllegalStateException if these limiters were closed
   */
  public Limiter limiter(String name, String limit) {
    return limiter(name, Limits.parse(limit));
  }

  /** As {@link #limiter(String, String)}. */
  public Limiter limiter(String name, Limit limit) {
    synchronized (limiters) {
      var builder = Limiter.builder(Terms.counted(limit)).name(name).source(source(name));
      Limiter limiter = (context == null ? builder : builder.context(context)).build();
      limiters.add(limiter);
      return limiter;
    }
  }

  /**
   * Returns the source of the limit of that name, for {@link Limiter.Builder#source}, where more is
   * to be set than {@link #limiter} does. Such a limiter is to be closed before these are. A source
   * is for one limiter.
   *
   * @throws IllegalStateException if these limiters were closed
   */
  public MeterSource source(String name) {
    return newSource(name, null, null);
  }

  private SharedSource newSource(String name, @Nullable KeyHash hash, @Nullable Tags tags) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("the name of a shared limit must not be empty");
    }
    synchronized (limiters) {
      if (closed) {
        throw new IllegalStateException("the connection was closed: connect anew for " + name);
      }
      var source = new SharedSource(name, hash, tags, settings, nodes, time);
      sources.add(source);
      return source;
    }
  }

  /**
   * Begins a limiter for the limit that each of many keys has in all processes, such as accounts:
   *
   * <pre>{@code
   * Limiter all = redis.limiter("service", "peer(100/1s)");
   * KeyedLimiter<String> api = redis.keyed("accounts", "peer(10/1m)").within(all).build();
   * api.call(account, () -> http.send(request, handler));
   * }</pre>
   *
   * <p>Keys are the same if their texts are the same ({@code toString}). The server stores hashes
   * of them, made with the {@linkplain Builder#secret secret}. A key that it does not know is new,
   * and does not wait for a fence. A key is forgotten once a new one would decide the same.
   *
   * <p>{@code setLimit} of the keyed limiter changes the limit of all keys in all processes, and
   * {@code limiter(key).setLimit} that of one. Such limiters are to be closed before these are.
   *
   * @param name of this limit; not that of a limit without keys
   * @throws IllegalArgumentException if the limit cannot be shared; the message says why
   * @throws IllegalStateException if no secret was set, or these limiters were closed
   */
  public KeyedLimiter.Builder keyed(String name, String perKey) {
    return keyed(name, Limits.parse(perKey));
  }

  /** As {@link #keyed(String, String)}. */
  public KeyedLimiter.Builder keyed(String name, Limit perKey) {
    return keyed(name, perKey, 1);
  }

  /**
   * Spreads the keys of limits over hash tags, so that several nodes of a Redis Cluster carry them.
   * Take some times as many as there will ever be nodes, such as 16 for up to five: the number of a
   * name cannot be changed while it is in use. On a single server it only makes more records.
   *
   * @param tags from 1 to 1024; 1 is as if nothing was spread
   * @throws IllegalArgumentException if it is another number
   */
  public Spread spread(int tags) {
    return new Spread(this, tags);
  }

  KeyedLimiter.Builder keyed(String name, Limit perKey, int count) {
    KeyHash hash = settings.hash();
    if (hash == null) {
      throw new IllegalStateException(
          "keys are stored as hashes, made with a secret that all processes have:"
              + " set it by RedisLimiters.builder(uri).secret(…)");
    }
    SharedSource source = newSource(name, hash, new Tags(name, count));
    source.check(perKey);
    nodes.keyed(name);
    return KeyedLimiter.builder(Terms.counted(perKey)).source(source);
  }

  /** Returns what people do with shared limits: look at them, change, pause and go on. */
  public Operations operations() {
    return new Operations(nodes, settings);
  }

  /**
   * Closes the limiters and the connection. What was leased and not used is given back, as far as
   * that takes no longer than a second; otherwise it is free again by itself after a while.
   */
  @Override
  public void close() {
    synchronized (limiters) {
      if (closed) {
        return;
      }
      closed = true;
      limiters.forEach(Limiter::close);
      limiters.clear();
    }
    nodes.finish(LONGEST_FAREWELL);
    for (SharedSource source : openSources()) {
      source.refuse("the connection of these limiters was closed");
    }
    nodes.close();
  }

  private List<SharedSource> openSources() {
    synchronized (limiters) {
      return List.copyOf(sources);
    }
  }

  /** Settings of the connection; see the methods for defaults. Not thread-safe. */
  public static final class Builder {

    private final BiFunction<Settings, Time, Nodes> servers;
    private WhenDown whenDown = WhenDown.WAIT;
    private @Nullable Duration partition;
    private boolean fresh;
    private boolean durable;
    private @Nullable KeyHash hash;
    private String label = ProcessLabel.usual();
    private @Nullable ContextPropagator context;

    private Builder(BiFunction<Settings, Time, Nodes> servers) {
      this.servers = servers;
    }

    /** What requests do while the server cannot be reached. Default: they wait. */
    public Builder whenDown(WhenDown whenDown) {
      this.whenDown = requireNonNull(whenDown);
      return this;
    }

    /**
     * States for how long a primary that has been replaced may go on answering: 0 if it is
     * certainly dead before another takes over; with {@code min-replicas-to-write} of 1 or more,
     * {@code min-replicas-max-lag} and two seconds, unless its machine stands still for longer.
     * Makes the fence longer. All processes that share a name must state the same; one that does
     * not is refused, with the reason.
     *
     * <p>Default: nothing is stated, and none is needed. Then what the server grants is used only
     * once all of its replicas have confirmed it, which a primary that has been replaced does not
     * get. Without replicas that costs nothing; with replicas, one {@code WAIT} for all calls that
     * were answered since the one before, and nothing is granted while one of them is away.
     *
     * @throws IllegalArgumentException if it is negative or longer than a day
     */
    public Builder partition(Duration longest) {
      if (longest.isNegative() || longest.compareTo(Duration.ofDays(1)) > 0) {
        throw new IllegalArgumentException(
            "partition must be from 0s to 1d: " + Durations.decimal(longest));
      }
      this.partition = longest;
      return this;
    }

    /**
     * Says that names which the server does not know have never been used: they then begin without
     * a fence. Only for names that are new; after the server has lost its memory it would let
     * through too much. Default: not so.
     */
    public Builder fresh() {
      this.fresh = true;
      return this;
    }

    /**
     * Says that this is one server which loses nothing that it has acknowledged, so a restart costs
     * no fence: requests go on as after a lost connection. With {@code 1000/1d} a fence is more
     * than a day. It has a file that is written before each answer, on a disk that keeps what it
     * acknowledges ({@code appendonly yes}, {@code appendfsync always}, {@code
     * no-appendfsync-on-rewrite no}); no replica takes its place, and no copy of its file; the
     * earlier process is dead when another begins; and it evicts no keys. Otherwise a restart would
     * let through too much. What can be asked is asked, and a contradiction refused.
     *
     * <p>Holds for a name if all processes that use it say so; one that does not ends it until the
     * next fence. Default: not so.
     */
    public Builder durable() {
      this.durable = true;
      return this;
    }

    /**
     * Sets the name under which {@link Operations#status} shows this process. Default: its number
     * and host, such as {@code 4711@worker-3}.
     */
    public Builder label(String label) {
      this.label = requireNonNull(label);
      return this;
    }

    /**
     * Sets the secret with which keys are hashed before they are sent to the server: the same in
     * all processes, and unknown to those who can read the server. Needed for {@link
     * RedisLimiters#keyed(String, String)} only. Processes with another secret are refused, as each
     * would count for itself.
     *
     * @throws IllegalArgumentException if it has fewer than 16 characters
     */
    public Builder secret(String secret) {
      this.hash = new KeyHash(secret);
      return this;
    }

    /**
     * Sets what carries the context of callers of {@link RedisLimiters#limiter(String, String)}:
     * see {@link Limiter.Builder#context}. Keys have that of {@link KeyedLimiter.Builder#context},
     * or of the limiter they are within.
     */
    public Builder context(ContextPropagator propagator) {
      this.context = requireNonNull(propagator);
      return this;
    }

    /**
     * Connects.
     *
     * @throws io.lettuce.core.RedisException if the server cannot be reached, or refuses
     * @throws IllegalStateException if it cannot keep the promise; the message says why
     */
    public RedisLimiters connect() {
      var settings = new Settings(whenDown, partition, fresh, durable, hash, label);
      Time time = Time.system();
      return new RedisLimiters(servers.apply(settings, time), settings, time, context);
    }
  }
}
