package dev.pacegate.redis;

import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Outcome;
import dev.pacegate.redis.Reply.Grant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All that can happen to two clients and their store within a number of ticks, one thing after the
 * other: the books of leases and the {@link StoreTwin} run, time is in ticks, and a peer counts.
 */
final class Exploration {

  static final long TICK = 1_000_000; // nanoseconds
  private static final long MICROS = TICK / 1000;

  /** What may go wrong, besides what happens in every world. */
  enum Fault {
    LOST_CALL,
    LOST_REPLY,
    LATE_CALL,
    CRASH,
    RESTART,
    FLUSH,
    EVICT_RUNS,
    EVICT_LINE,
    FORWARD,
    BACK,
    REPLICA_ATTACHES,
    FAILOVER,
    BACK_TO_FIRST
  }

  /** What a world begins with. */
  record Setting(
      Terms terms,
      int ticks,
      int starts,
      int slow,
      int faults,
      Set<Fault> kinds,
      StoreTwin.Mutant mutant) {

    static Terms terms(int permits, int interval, int use, int horizon, int unanswered) {
      return new Terms(
          Limits.parse("peer(" + permits + "/" + interval + "ms, margin=0s)"),
          Measure.PLAIN,
          permits,
          interval * MICROS,
          use * MICROS,
          horizon * MICROS,
          unanswered * MICROS,
          0);
    }
  }

  /**
   * What was found.
   *
   * @param steps how many states were visited
   * @param broken the way to one in which the peer counts too many; empty if none was found
   */
  record Result(long steps, List<String> broken) {}

  /** A request as the peer may count it. */
  private static final class Served {
    final long start;
    long end;
    boolean open = true;

    Served(long start) {
      this.start = start;
    }
  }

  private static final class Client {
    final String name;
    final LeaseBook book;
    final ArrayDeque<Served> open = new ArrayDeque<>();
    @Nullable Request call;
    @Nullable Request late; // a call that was given up and may yet arrive
    @Nullable Reply reply;
    long sent;
    long carriedOut;

    Client(String name, Terms terms) {
      this.name = name;
      this.book = new LeaseBook(terms);
    }
  }

  private record Action(String name, Runnable run) {}

  /** One state, reached by a path of choices. */
  private final class World {
    long now;
    StoreTwin store = new StoreTwin();
    StoreTwin replica = new StoreTwin();
    final Client[] clients = new Client[2];
    final List<Served> served = new ArrayList<>();
    int starts;
    int faults;
    int slow;
    int generation;
    boolean over;
    long stepped; // by how much the store's clock was set forward, in microseconds
    @Nullable Client lastActed;

    World() {
      store.mutant = setting.mutant;
      store.wall = 1000 * MICROS;
      replica.run = "a2";
      replica.mutant = setting.mutant;
      for (int i = 0; i < clients.length; i++) {
        clients[i] = new Client("c" + i, setting.terms);
      }
    }

    List<Action> actions() {
      var actions = new ArrayList<Action>();
      for (Client client : clients) {
        of(client, actions);
      }
      if (faults < setting.faults) {
        for (Fault fault : setting.kinds) {
          fault(fault, actions);
        }
      }
      if (now < setting.ticks * TICK && mayTick()) {
        actions.add(new Action("tick", this::tick));
      }
      return actions;
    }

    private boolean mayTick() {
      for (Client client : clients) {
        for (Served each : client.open) {
          if (now - each.start >= setting.terms.unanswered() * 1000) {
            return false;
          }
        }
      }
      return true;
    }

    private void tick() {
      lastActed = null;
      now += TICK;
      store.wall += MICROS;
      replica.wall += MICROS;
    }

    // What happens within one tick is told apart only as far as it matters: a call that is carried
    // out, or answered, in the tick in which it was sent is one step.
    private void of(Client client, List<Action> actions) {
      LeaseBook book = client.book;
      Long due = book.dueAt(now, 1);
      if (due != null && due - now <= 0) {
        actions.add(of(client, "call, carry out, reply", this::call, this::carryOut, this::reply));
        if (slow < setting.slow) {
          actions.add(of(client, "call", this::slow, this::call));
          actions.add(of(client, "call, carry out", this::slow, this::call, this::carryOut));
        }
      }
      if (client.call != null && client.reply == null && client.sent != now) {
        actions.add(of(client, "carry out", this::carryOut));
        actions.add(of(client, "carry out, reply", this::carryOut, this::reply));
      }
      if (client.reply != null && client.carriedOut != now) {
        actions.add(of(client, "reply", this::reply));
      }
      if (mayAct(client)) {
        if (starts < setting.starts && client.open.isEmpty() && book.nanosUntil(now, 1) == 0) {
          actions.add(of(client, "start", this::start));
        }
        if (!client.open.isEmpty()) {
          actions.add(of(client, "end", this::end));
        }
      }
      if (client.late != null) {
        actions.add(of(client, "arrive late", this::arriveLate));
      }
    }

    // Starts and ends of different clients may change places: one order of them is enough.
    private boolean mayAct(Client client) {
      return lastActed == null || lastActed.name.compareTo(client.name) <= 0;
    }

    @SafeVarargs
    private Action of(Client client, String name, Consumer<Client>... steps) {
      boolean acts = name.equals("start") || name.equals("end");
      return new Action(
          name + " " + client.name,
          () -> {
            for (Consumer<Client> step : steps) {
              step.accept(client);
            }
            lastActed = acts ? client : null;
          });
    }

    private void slow(Client client) {
      slow++;
    }

    private void call(Client client) {
      client.call = client.book.request(now, 1);
      client.sent = now;
    }

    private void carryOut(Client client) {
      Request call = client.call;
      if (call != null) {
        client.reply = store.acquire(client.name, told(call), setting.terms, generation == 0);
        client.carriedOut = now;
        generation = 1;
      }
    }

    private void reply(Client client) {
      if (client.call != null && client.reply != null) {
        client.book.replied(client.call, client.sent, now, believed(client.reply));
      }
      client.call = null;
      client.reply = null;
    }

    // A client that believes the store's clock sees no step: its instants are told without it.
    private Reply believed(Reply reply) {
      return new Reply(
          reply.clock() - hidden(),
          reply.epoch(),
          reply.revision(),
          reply.limit(),
          reply.closedFor(),
          reply.reason(),
          reply.comeBackIn(),
          reply.grants().stream()
              .map(g -> new Grant(g.units(), g.from() - hidden(), g.until() - hidden()))
              .toList());
    }

    private Request told(Request call) {
      return new Request(
          call.number(),
          call.want(),
          call.least(),
          call.spare(),
          call.epoch(),
          call.distrust(),
          call.revision(),
          call.reports().stream()
              .map(r -> new Report(r.lease(), r.left(), r.kind(), r.instant() + hidden()))
              .toList());
    }

    private long hidden() {
      return setting.mutant == StoreTwin.Mutant.CLOCK_TRUSTED ? stepped : 0;
    }

    private void start(Client client) {
      long spent =
          served.stream()
              .filter(each -> each.open || now - each.end < setting.terms.interval() * 1000)
              .count();
      over |= spent + 1 > setting.terms.permits();
      starts++;
      var request = new Served(now);
      served.add(request);
      client.open.add(request);
      client.book.start(now, now, 1);
    }

    private void end(Client client) {
      Served request = client.open.remove();
      request.open = false;
      request.end = now;
      client.book.end(request.start, now, 1, Outcome.ANSWERED);
    }

    private void arriveLate(Client client) {
      Request call = client.late;
      client.late = null;
      if (call != null) {
        store.acquire(client.name, call, setting.terms, false);
      }
    }

    private void fault(Fault fault, List<Action> actions) {
      for (Client client : clients) {
        Runnable run = clientFault(fault, client);
        if (run != null) {
          actions.add(new Action(fault + " " + client.name, () -> broken(run)));
        }
      }
      Runnable run = storeFault(fault);
      if (run != null) {
        actions.add(new Action(fault.name(), () -> broken(run)));
      }
    }

    private void broken(Runnable run) {
      lastActed = null;
      faults++;
      run.run();
    }

    private @Nullable Runnable clientFault(Fault fault, Client client) {
      Request call = client.call;
      return switch (fault) {
        case LOST_CALL, LATE_CALL ->
            call == null || client.reply != null
                ? null
                : () -> {
                  client.late = fault == Fault.LATE_CALL ? call : null;
                  giveUp(client, call);
                };
        case LOST_REPLY -> call == null || client.reply == null ? null : () -> giveUp(client, call);
        case CRASH -> stepped > 0 ? null : () -> crash(client);
        default -> null;
      };
    }

    private void giveUp(Client client, Request call) {
      client.book.failed(call, now - 100 * TICK); // the pause before it is repeated is over
      client.call = null;
      client.reply = null;
    }

    private void crash(Client client) {
      for (Served each : client.open) {
        each.open = false;
        each.end = Math.max(now, each.start + setting.terms.unanswered() * 1000);
      }
      for (int i = 0; i < clients.length; i++) {
        if (clients[i] == client) {
          clients[i] = new Client(client.name + "'", setting.terms);
        }
      }
    }

    private @Nullable Runnable storeFault(Fault fault) {
      return switch (fault) {
        case RESTART ->
            () -> {
              store.run += "'";
              store.forget();
            };
        case FLUSH -> store::forget;
        case EVICT_RUNS -> store::loseRuns;
        case EVICT_LINE -> store::loseLine;
        case FORWARD -> mayStep() ? this::stepForward : null;
        case BACK -> () -> store.wall -= 3 * MICROS;
        case REPLICA_ATTACHES ->
            () -> {
              store.replication += "'";
              store.earlier = "00";
              replica.replicate(store);
            };
        case FAILOVER -> this::failover;
        case BACK_TO_FIRST -> this::backToFirst;
        default -> null;
      };
    }

    // Assumed: a client that the store does not know yet cannot see that the clock was set forward.
    private boolean mayStep() {
      return clients[0].book.isSharp() && clients[1].book.isSharp();
    }

    private void stepForward() {
      long step = 2 * setting.terms.use() + MICROS;
      store.wall += step;
      stepped += step;
    }

    /** The replica, which knows what it was last told, takes over. */
    private void failover() {
      StoreTwin old = store;
      store = replica;
      store.earlier = old.replication;
      store.replication = old.replication + "p";
      replica = old;
    }

    /** The other server takes over, and then the first again, with what it knew before that. */
    private void backToFirst() {
      failover();
      Client client = clients[0];
      if (client.call != null && client.reply == null) {
        carryOut(client);
      }
      failover();
    }

    String fingerprint() {
      var text = new StringBuilder();
      text.append(now)
          .append(' ')
          .append(starts)
          .append(' ')
          .append(faults)
          .append(slow)
          .append(generation);
      text.append(store.wall).append(store.fingerprint());
      text.append(lastActed == null ? "" : lastActed.name);
      if (setting.kinds.contains(Fault.FAILOVER) || setting.kinds.contains(Fault.BACK_TO_FIRST)) {
        text.append(replica.fingerprint());
      }
      for (Client client : clients) {
        text.append(client.name).append(client.book.describe(now));
        text.append(client.call).append(client.late).append(client.reply);
        text.append(client.call == null ? 0 : client.sent);
        text.append(client.reply == null ? 0 : client.carriedOut);
      }
      for (Served each : served) {
        text.append(each.start);
        text.append(each.open ? "o" : "e" + each.end);
      }
      return text.toString();
    }
  }

  private final Setting setting;
  private final Set<String> seen = new HashSet<>();
  private final ArrayDeque<int[]> ahead = new ArrayDeque<>();
  private long steps;

  Exploration(Setting setting) {
    this.setting = setting;
  }

  /**
   * Visits all states, or up to that many; stops at the first in which the peer counts too many.
   */
  Result run(int most) {
    ahead.push(new int[0]);
    while (!ahead.isEmpty() && seen.size() < most) {
      int[] path = ahead.pop();
      World world = replay(path);
      if (world.over) {
        return new Result(seen.size(), describe(path));
      }
      if (seen.add(world.fingerprint())) {
        int choices = world.actions().size();
        for (int i = 0; i < choices; i++) {
          int[] next = Arrays.copyOf(path, path.length + 1);
          next[path.length] = i;
          ahead.push(next);
        }
      }
    }
    return new Result(seen.size(), List.of());
  }

  /** Follows random choices; stops at the first path on which the peer counts too many. */
  Result walk(int paths, long seed) {
    var random = new Random(seed);
    for (int walked = 0; walked < paths; walked++) {
      var path = new ArrayList<Integer>();
      var world = new World();
      List<Action> actions = world.actions();
      while (!actions.isEmpty() && !world.over) {
        int choice = random.nextInt(actions.size());
        path.add(choice);
        actions.get(choice).run.run();
        actions = world.actions();
      }
      steps += path.size();
      if (world.over) {
        return new Result(steps, describe(path.stream().mapToInt(i -> i).toArray()));
      }
    }
    return new Result(steps, List.of());
  }

  private World replay(int[] path) {
    var world = new World();
    for (int choice : path) {
      world.actions().get(choice).run.run();
    }
    return world;
  }

  private List<String> describe(int[] path) {
    var world = new World();
    var names = new ArrayList<String>();
    for (int choice : path) {
      Action action = world.actions().get(choice);
      names.add(world.now / TICK + " " + action.name);
      action.run.run();
    }
    return names;
  }
}
