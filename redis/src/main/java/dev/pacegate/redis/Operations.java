package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.Limit;
import dev.pacegate.time.Durations;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What people do with shared limits: look at them, change, pause and go on, for all processes at
 * once. Each change is noted in the store, with who made it and why.
 *
 * <p>The methods call the server and wait for its answer, and what changes something waits until
 * all replicas of the limit have it; otherwise they fail with a {@link RedisException}. Where keys
 * are {@linkplain Spread spread} over tags it is done to each of them; if it fails for some, the
 * message says which, and it can be repeated. Thread-safe.
 */
public final class Operations {

  private static final Duration LONGEST_PAUSE = Duration.ofDays(36_500);

  private final Nodes nodes;
  private final Settings settings;
  private final KnownLimit.Scripts scripts =
      new KnownLimit.Scripts() {
        @Override
        public List<String> status(Address address) {
          return nodes.with(address, node -> run(node, Script.STATUS, address)).stream()
              .map(Object::toString)
              .toList();
        }

        @Override
        public Replies carryOut(Script script, Address address, List<String> arguments) {
          return Operations.this.carryOut(script, address, arguments);
        }
      };

  Operations(Nodes nodes, Settings settings) {
    this.nodes = nodes;
    this.settings = settings;
  }

  /** Returns the names that the store knows, in the order of their texts. */
  public List<String> names() {
    var names = new TreeSet<String>();
    nodes.all().forEach(node -> addNames(node.connection().sync(), names));
    return List.copyOf(names);
  }

  private static void addNames(RedisCommands<String, String> redis, Set<String> names) {
    ScanArgs ours = ScanArgs.Builder.matches("pacegate:{*}").limit(1000);
    KeyScanCursor<String> page = redis.scan(ours);
    while (true) {
      for (String key : page.getKeys()) {
        String name = Tags.nameOf(key);
        if (!name.isEmpty()) {
          names.add(name);
        }
      }
      if (page.isFinished()) {
        return;
      }
      page = redis.scan(ScanCursor.of(page.getCursor()), ours);
    }
  }

  /** Returns what the store knows of a limit; empty if it does not know the name. */
  public Optional<SharedLimitStatus> status(String name) {
    return limit(name).map(KnownLimit::status);
  }

  /**
   * Puts another limit in force in all processes. What was granted stays granted.
   *
   * @param why the reason, which {@link #status} tells; may be empty
   * @throws IllegalArgumentException if the limit cannot be shared, or the store does not know the
   *     name
   * @throws IllegalStateException if another limit is in force, as another change came at the same
   *     time, or the store has forgotten everything meanwhile; the message says which
   */
  public void setLimit(String name, Limit limit, String why) {
    known(name).setLimit(requireNonNull(limit), requireNonNull(why));
  }

  /**
   * Grants nothing for that long, in no process. What is leased already may be used for up to four
   * seconds.
   *
   * @param length more than zero; longer than a hundred years is a hundred years
   * @param why the reason, which {@link #status} and the log of each process tell; may be empty
   * @throws IllegalArgumentException if the length is not positive, or the store does not know the
   *     name
   */
  public void pause(String name, Duration length, String why) {
    if (length.isZero() || length.isNegative()) {
      throw new IllegalArgumentException(
          "a pause must be longer than zero: " + Durations.decimal(length));
    }
    Duration longest = length.compareTo(LONGEST_PAUSE) < 0 ? length : LONGEST_PAUSE;
    long micros = longest.toSeconds() * 1_000_000 + longest.toNanosPart() / 1000;
    control(name, "pause", why, Long.toString(micros));
  }

  /**
   * Ends a pause. Requests that wait notice it within a second, those of keys within five.
   *
   * @param why the reason, which {@link #status} tells; may be empty
   * @throws IllegalArgumentException if the store does not know the name
   */
  public void resume(String name, String why) {
    control(name, "resume", why, "");
  }

  /**
   * Ends a fence early. Only if it is certain that nothing was let through before that the peer may
   * yet count: otherwise the peer may count up to twice the limit. If there is none, what is spent
   * stays spent.
   *
   * @param why the reason, which {@link #status} tells; not empty
   * @throws IllegalArgumentException if no reason is given, or the store does not know the name
   */
  public void unfence(String name, String why) {
    if (why.isBlank()) {
      throw new IllegalArgumentException("a fence is ended for a reason only: say which");
    }
    known(name).unfence(why);
  }

  /**
   * Forgets a replica that is away for good: until then nothing is granted, as it might have taken
   * over. Only if it never takes over with the data that it has: otherwise the peer may count up to
   * twice the limit. A replica that is there is named again at once.
   *
   * @param replica as {@link SharedLimitStatus#replicas} has it, such as {@code 10.0.0.2:6379}
   * @param why the reason, which {@link #status} tells; not empty
   * @throws IllegalArgumentException if no reason is given, the limit has no such replica, or the
   *     store does not know the name
   */
  public void forgetReplica(String name, String replica, String why) {
    if (why.isBlank()) {
      throw new IllegalArgumentException("a replica is forgotten for a reason only: say which");
    }
    known(name).forget(replica, why);
  }

  private void control(String name, String what, String why, String value) {
    known(name).control(what, requireNonNull(why), value);
  }

  private Optional<KnownLimit> limit(String name) {
    return KnownLimit.of(requireNonNull(name), scripts, settings);
  }

  private KnownLimit known(String name) {
    return limit(name)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "the store does not know the name " + name + "; it knows " + names()));
  }

  private static List<Object> run(Node node, Script script, Address address, String... arguments) {
    String[] keys = address.keys().toArray(String[]::new);
    return node.connection().sync().eval(script.source(), ScriptOutputType.MULTI, keys, arguments);
  }

  private Replies carryOut(Script script, Address address, List<String> arguments) {
    return nodes.with(address, node -> carryOut(node, script, address, arguments));
  }

  private static Replies carryOut(
      Node node, Script script, Address address, List<String> arguments) {
    Wire wire = node.wire();
    String[] all = Store.withClaim(arguments);
    for (int claims = 0; claims <= Store.MOST_CLAIMS; claims++) {
      long number = wire.number();
      var replies = new Replies(run(node, script, address, all));
      String run = replies.asks();
      if (run == null) {
        confirm(node, replies.replicas(), number);
        return replies;
      }
      String leadsTo = wire.address();
      all[0] = number == wire.number() ? run + " " + leadsTo : Store.NO_CLAIM;
    }
    throw new RedisException("several servers answer in turn");
  }

  private static void confirm(Node node, List<String> replicas, long number) {
    if (replicas.isEmpty()) {
      return;
    }
    int needed = replicas.size();
    RedisCommands<String, String> redis = node.connection().sync();
    long count = redis.waitForReplication(needed, Confirmations.LONGEST_WAIT.toMillis());
    Confirmation said = Confirmation.of(count, redis.info("replication"));
    if (count < needed || !replicas.containsAll(said.by()) || number != node.wire().number()) {
      throw new RedisException(
          "it is done, and not confirmed by all replicas ("
              + String.join(", ", replicas)
              + "): it is lost if one of them takes over that does not have it. Repeat it");
    }
  }
}
