package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Measure;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All that can happen to two clients and their store within a number of ticks, one thing after the
 * other: the books of leases and the {@link StoreTwin} run, time is in ticks, and a peer counts.
 */
final class Exploration {

  private static final long TICK_MICROS = World.TICK / 1000;

  /** What may go wrong, besides what happens in every world. */
  enum Fault {
    LOST_CALL,
    LOST_REPLY,
    LATE_CALL,
    /** A reply takes longer than an interval, however long, and is then taken. */
    LATE_REPLY,
    CRASH,
    PAUSE,
    RESTART,
    /** Of a server of which all say that it loses nothing. */
    DURABLE_RESTART,
    /** It has forgotten nothing. */
    RESTART_WITH_FILE,
    FLUSH,
    EVICT_KEY,
    FORWARD,
    BACK,
    REPLICA_ATTACHES,
    FAILOVER,
    BACK_TO_FIRST,
    /** The replica is promoted, and the primary goes on for one of the clients. */
    REPLACED,
    /** A replica that no call has seen gets all there is, and then no more. */
    REPLICA_COPIES,
    /** Of keys that are spread: their tag forgets all, and the first tag nothing. */
    TAG_LOST
  }

  /** Which replicas the store has. */
  enum Replicas {
    NONE,
    /** One that may take over, at an address that clients see. */
    ONE,
    /** Two of which one may take over, behind an address that moves. */
    TWO,
    /** One that follows for ever; that which may take over is another. */
    ANOTHER
  }

  /** What the two clients may ask for in one call of their process. */
  enum Together {
    NOTHING,
    /** Both use one key. */
    ONE_KEY,
    /** Each uses another key. */
    TWO_KEYS
  }

  /**
   * What a world begins with.
   *
   * @param key that both clients use; empty if the limit has no keys
   * @param own the limit that this key has of its own; the second client then uses another key,
   *     which has that of all. Null if it has none
   * @param within the limit for all keys, of another name; the second client then uses another key.
   *     Null if there is none
   */
  record Setting(
      Terms terms,
      String key,
      @Nullable Terms own,
      @Nullable Terms within,
      Together together,
      int ticks,
      int starts,
      int slow,
      boolean prompt,
      int faults,
      Set<Fault> kinds,
      Replicas replicas,
      StoreTwin.Mutant mutant) {

    /** Returns terms of which the spans are ticks. */
    static Terms terms(int use, int horizon, Term... terms) {
      return terms("peer(1/1s)", use, horizon, terms);
    }

    /** The same, known by another text. */
    static Terms terms(String text, int use, int horizon, Term... terms) {
      return new Terms(
          Limits.parse(text), List.of(terms), use * TICK_MICROS, horizon * TICK_MICROS, null);
    }

    /** What begins so is a key of a tag that is not the first. */
    static final String OF_A_TAG = "tag ";

    /** Returns under which name the keys are stored. */
    String tag() {
      return key.startsWith(OF_A_TAG) ? OF_A_TAG : "";
    }

    /** Returns the key that a client uses. */
    String key(int client) {
      boolean isShared = own == null && within == null && together != Together.TWO_KEYS;
      return isShared || client == 0 ? key : key + " of another";
    }

    /** Returns the limit of the key that a client uses. */
    Terms terms(int client) {
      return own == null || client > 0 ? terms : own;
    }

    /** Returns the limit of that text. */
    Terms terms(String text) {
      return own != null && own.limit().toString().equals(text) ? own : terms;
    }

    /** Returns the longest fence. */
    long fence() {
      return limits().mapToLong(Terms::fence).max().orElseThrow();
    }

    private Stream<Terms> limits() {
      return Stream.of(terms, own == null ? terms : own, within == null ? terms : within);
    }

    private Stream<Term> all() {
      return limits().flatMap(each -> each.terms().stream());
    }

    static Term window(int permits, int interval, int unanswered) {
      return term(Term.Kind.WINDOW, permits, interval, unanswered, 0, 0);
    }

    static Term places(int permits, int unanswered) {
      return term(Term.Kind.PLACES, permits, 0, unanswered, 0, 0);
    }

    /** Returns a bucket that is refilled by one in so many ticks. */
    static Term bucket(int burst, int every, int unanswered) {
      return term(Term.Kind.BUCKET, burst, 0, unanswered, 1, every);
    }

    private static Term term(
        Term.Kind kind, int permits, int interval, int unanswered, int refill, int every) {
      return new Term(
          kind,
          Measure.PLAIN,
          permits,
          interval * TICK_MICROS,
          unanswered * TICK_MICROS,
          unanswered * TICK_MICROS,
          refill,
          every * TICK_MICROS,
          true);
    }

    /** Returns for how long a lost request may be counted, by all terms. */
    long unanswered() {
      return terms.terms().get(0).unanswered();
    }

    long interval() {
      return all().mapToLong(Term::interval).max().orElseThrow();
    }

    /** Returns for how long a request matters after its end. */
    long memory() {
      return all()
          .mapToLong(
              term -> Math.max(TICK_MICROS, term.refill() > 0 ? 2 * term.span() : term.interval()))
          .max()
          .orElseThrow();
    }
  }

  /**
   * What was found.
   *
   * @param steps how many states were visited
   * @param all whether there are no others
   * @param broken the way to one in which the peer counts too many; empty if none was found
   */
  record Result(long steps, boolean all, List<String> broken) {
    @Override
    public String toString() {
      return steps + (all ? " states, all there are" : " states or steps");
    }
  }

  private final Setting setting;
  private final Set<Digest> seen = ConcurrentHashMap.newKeySet();
  private final AtomicReference<@Nullable State> broken = new AtomicReference<>();
  private long steps;

  Exploration(Setting setting) {
    this.setting = setting;
  }

  /**
   * Visits all states that can be reached, however late, one tick after the other; or at least that
   * many. Stops when one is found in which the peer counts too many.
   */
  Result search(int most) {
    List<State> level = List.of(new State(null, "", new World(setting)));
    while (!level.isEmpty() && broken.get() == null && seen.size() < most) {
      var next = new ConcurrentLinkedQueue<State>();
      level.parallelStream().forEach(state -> visitAllOfOneTick(state, next));
      level = List.copyOf(next);
    }
    State over = broken.get();
    return new Result(seen.size(), level.isEmpty(), over == null ? List.of() : over.path());
  }

  private void visitAllOfOneTick(State first, Queue<State> next) {
    var ahead = new ArrayDeque<State>();
    ahead.push(first);
    while (!ahead.isEmpty() && broken.get() == null) {
      State state = ahead.pop();
      long now = state.world().now;
      int choices = state.world().actions().size();
      for (int i = 0; i < choices; i++) {
        State after = state.after(i, i == choices - 1);
        World world = after.world();
        if (world.over) {
          broken.compareAndSet(null, after);
        } else if (seen.add(Digest.of(WorldText.of(world)))) {
          if (world.now == now) {
            ahead.push(after);
          } else {
            next.add(after);
          }
        }
      }
    }
  }

  /** A world that is to be visited, and the way to it. */
  private static final class State {
    private final @Nullable State before;
    private final String action;
    private @Nullable World world;

    State(@Nullable State before, String action, World world) {
      this.before = before;
      this.action = action;
      this.world = world;
    }

    World world() {
      return requireNonNull(world);
    }

    /** Returns what one of the choices leads to; after the last one this world is used up. */
    State after(int choice, boolean last) {
      World next = last ? world() : Copies.of(world());
      World.Action chosen = next.actions().get(choice);
      String name = next.now / World.TICK + " " + chosen.name();
      chosen.run().run();
      if (last) {
        world = null;
      }
      return new State(this, name, next);
    }

    List<String> path() {
      var path = new ArrayDeque<String>();
      for (State at = this; at.before != null; at = at.before) {
        path.push(at.action);
      }
      return List.copyOf(path);
    }
  }

  /** Follows random choices; stops at the first path on which the peer counts too many. */
  Result walk(int paths, long seed) {
    var random = new Random(seed);
    for (int walked = 0; walked < paths; walked++) {
      var path = new ArrayList<Integer>();
      var world = new World(setting);
      List<World.Action> actions = world.actions();
      while (!actions.isEmpty() && !world.over) {
        int choice = random.nextInt(actions.size());
        path.add(choice);
        actions.get(choice).run().run();
        actions = world.actions();
      }
      steps += path.size();
      if (world.over) {
        return new Result(steps, false, describe(path.stream().mapToInt(i -> i).toArray()));
      }
    }
    return new Result(steps, false, List.of());
  }

  private List<String> describe(int[] path) {
    var world = new World(setting);
    var names = new ArrayList<String>();
    for (int choice : path) {
      World.Action action = world.actions().get(choice);
      names.add(world.now / World.TICK + " " + action.name());
      action.run().run();
    }
    return names;
  }

  /** Stands for a text; two texts of one digest are not to be expected. */
  private record Digest(long first, long second) {
    static Digest of(String text) {
      try {
        var bytes =
            ByteBuffer.wrap(
                MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8)));
        return new Digest(bytes.getLong(), bytes.getLong());
      } catch (NoSuchAlgorithmException e) {
        throw new LinkageError("every platform has MD5", e);
      }
    }
  }
}
