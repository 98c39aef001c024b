package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Outcome;
import dev.pacegate.redis.Exploration.Fault;
import dev.pacegate.redis.Exploration.Replicas;
import dev.pacegate.redis.Exploration.Setting;
import dev.pacegate.redis.Exploration.Together;
import dev.pacegate.redis.Reply.Grant;
import dev.pacegate.redis.StoreTwin.Listed;
import dev.pacegate.redis.StoreTwin.Mutant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Two clients, their store and a peer at one instant, and what can happen next. Time is in ticks.
 */
final class World {

  /** In nanoseconds; a multiple of what the store rounds to. */
  static final long TICK = 1_020_000;

  private static final long MICROS = TICK / 1000;

  private static final long STEP_BACK = 3 * MICROS;

  /** The name of the limit for all keys. */
  private static final String ALL = "all";

  private static final int PROCESSES = 2;
  private static final Request GREETING = new Request(0, List.of(), "", "", "", List.of());

  /** A request as the peer may count it. */
  static final class Served {
    final String key;
    final long start;
    long end;
    boolean open = true;

    Served(String key, long start) {
      this.key = key;
      this.start = start;
    }
  }

  /** A process, as far as it calls for one name. */
  static final class Client {
    final String name;
    final String limit; // the name
    final String key;
    final LeaseBook book;
    @Nullable Client all; // the same process, as far as it calls for the limit for all keys
    final ArrayDeque<Served> open = new ArrayDeque<>();
    @Nullable Request call;
    @Nullable Reply reply;
    @Nullable Long offset;
    long sent;
    long carriedOut;
    long startedLast = -1;
    boolean paused;
    boolean dawdles; // its call, which may take any time
    boolean stays; // with the primary that was replaced
    boolean moved; // since its call was carried out, to another server

    Client(String name, String limit, String key, Terms terms) {
      this.name = name;
      this.limit = limit;
      this.key = key;
      this.book = new LeaseBook(terms);
      // Of as many digits from beginning to end: the store orders by names what is equal otherwise.
      WorldText.part("number", book).set(book, 1_000_000L);
    }

    boolean isOfAll() {
      return limit.equals(ALL);
    }

    /** Does something to all of the process. */
    void whole(Consumer<Client> step) {
      step.accept(this);
      if (all != null) {
        step.accept(all);
      }
    }
  }

  record Action(String name, Runnable run) {}

  /** A call that its client has given up, or did not outlive, and that may yet arrive. */
  record Late(String client, String limit, String key, Request call) {}

  final Setting setting;
  long now;
  StoreTwin store = new StoreTwin();
  StoreTwin replica = new StoreTwin();
  final Client[] clients; // the processes first
  final List<Served> served = new ArrayList<>();
  final List<Late> late = new ArrayList<>();
  int starts;
  int faults;
  int slow;
  int generation;
  boolean over;
  boolean isAlone = true; // a server that loses nothing has no other to take its place, nor evicts
  boolean follows; // whether the replica gets what is written
  boolean split; // whether the replica has been promoted, and the primary goes on
  long stepped; // by how much the store's clock was set forward, in microseconds
  @Nullable Client lastActed;

  World(Setting setting) {
    this(setting, new Client[setting.within() == null ? PROCESSES : 2 * PROCESSES]);
    store.mutant = setting.mutant();
    store.durable = setting.kinds().contains(Fault.DURABLE_RESTART);
    store.asGoodAs = 0;
    store.wall = 1000 * MICROS;
    replica.wall = store.wall;
    replica.run = "a2";
    replica.mutant = setting.mutant();
    replica.durable = store.durable;
    replica.asGoodAs = 0;
    replica.wasReplica = true;
    addReplicas();
    for (int i = 0; i < PROCESSES; i++) {
      begin(i, "c" + i);
    }
    if (setting.own() != null) {
      setOwn(setting.own());
    }
    if (setting.within() != null) {
      makeKnown(setting.within());
    }
    if (!setting.tag().isEmpty()) {
      makeTagsKnown();
    }
  }

  private World(Setting setting, Client[] clients) {
    this.setting = setting;
    this.clients = clients;
  }

  /** Returns one in which nothing has begun, for a copy. */
  static World empty(Setting setting) {
    return new World(setting, new Client[0]);
  }

  private void begin(int process, String name) {
    var client = new Client(name, setting.tag(), setting.key(process), setting.terms(process));
    clients[process] = client;
    if (setting.within() != null) {
      client.all = new Client(name + " of all", ALL, "", setting.within());
      clients[process + PROCESSES] = client.all;
    }
  }

  /** Before all that happens here both names are known; the replica knows them too. */
  private void makeKnown(Terms all) {
    store.at(ALL).acquire("", "before", GREETING, all, true);
    store.at("").acquire(setting.key(), "before", GREETING, setting.terms(), true);
    replica.replicate(store);
    generation = 1;
  }

  /** Before all that happens here both tags are known. */
  private void makeTagsKnown() {
    store.at("").acquire("another", "before", GREETING, setting.terms(), true);
    store.at(setting.tag()).acquire(setting.key(), "before", GREETING, setting.terms(), true);
    replica.replicate(store);
    generation = 1;
  }

  /** Before all that happens here a key gets a limit of its own; the replica knows that. */
  private void setOwn(Terms own) {
    String other = setting.key(1);
    store.acquire(other, "before", GREETING, setting.terms(), true);
    store.set(setting.key(), setting.terms(), own);
    replica.replicate(store);
    generation = 1;
  }

  private void addReplicas() {
    Replicas replicas = setting.replicas();
    follows = replicas == Replicas.ONE || replicas == Replicas.TWO;
    store.listed =
        Stream.of("r1", "r2")
            .limit(replicas == Replicas.NONE ? 0 : replicas == Replicas.TWO ? 2 : 1)
            .map(name -> new Listed(name, true, 0))
            .toList();
    replica.address = replicas == Replicas.ONE ? "r1" : replicas == Replicas.ANOTHER ? "r3" : "";
  }

  private StoreTwin server(Client client) {
    return (client.stays ? replica : store).at(client.limit);
  }

  /** Returns the limit of the name, as a client was started with it. */
  private Terms law(Client client) {
    return client.isOfAll() ? client.book.terms() : setting.terms();
  }

  List<Action> actions() {
    var actions = new ArrayList<Action>();
    for (Client client : clients) {
      of(client, actions);
    }
    if (setting.together() != Together.NOTHING) {
      together(actions);
    }
    for (Late each : late) {
      actions.add(new Action("arrive late " + each.client, () -> arrive(each)));
    }
    if (faults < setting.faults()) {
      for (Fault fault : setting.kinds()) {
        fault(fault, actions);
      }
    }
    if (now < setting.ticks() * TICK && mayTick()) {
      actions.add(new Action("tick", this::tick));
    }
    return actions;
  }

  private boolean mayTick() {
    for (Client client : clients) {
      if (setting.prompt() && !client.paused && isLate(client)) {
        return false;
      }
      for (Served each : client.paused ? List.<Served>of() : client.open) {
        if (now - each.start >= setting.unanswered() * 1000) {
          return false;
        }
      }
    }
    return true;
  }

  // A client that is prompt calls when it is due, and its calls take an interval at most.
  private boolean isLate(Client client) {
    return client.call == null
        ? isDue(client)
        : !client.dawdles && now - client.sent >= setting.interval() * 1000;
  }

  private boolean isDue(Client client) {
    Long due = client.book.dueAt(now, Cost.ONE);
    return due != null && due - now <= 0;
  }

  private void tick() {
    lastActed = null;
    now += TICK;
    served.removeIf(each -> !counts(each));
    store.wall += MICROS;
    replica.wall += MICROS;
  }

  // What happens within one tick is told apart only as far as it matters: a call that is carried
  // out, or answered, in the tick in which it was sent is one step.
  private void of(Client client, List<Action> actions) {
    if (!client.paused) {
      active(client, actions);
    } else if (!client.isOfAll()) {
      actions.add(of(client, "go on", this::goOn));
    }
    if (client.call != null && client.reply == null && client.sent != now) {
      actions.add(of(client, "carry out", this::carryOut));
    }
    if (client.stays && !client.isOfAll()) {
      actions.add(of(client, "move", this::move));
    }
  }

  // What comes of a call apart, its replies too, is told apart for each client.
  private void together(List<Action> actions) {
    for (Client client : clients) {
      if (client.paused || client.stays != clients[0].stays || !isDue(client)) {
        return;
      }
    }
    actions.add(new Action("call together, carry out, reply", () -> together(true)));
    if (slow < setting.slow()) {
      actions.add(
          new Action(
              "call together, carry out",
              () -> {
                slow++;
                together(false);
              }));
    }
  }

  private void together(boolean answered) {
    lastActed = null;
    for (Client client : clients) {
      call(client);
    }
    carryOut(clients);
    for (Client client : answered ? clients : new Client[0]) {
      reply(client);
    }
  }

  private void move(Client client) {
    client.whole(
        each -> {
          each.stays = false;
          each.moved = true;
        });
  }

  private void goOn(Client client) {
    client.whole(each -> each.paused = false);
  }

  private void active(Client client, List<Action> actions) {
    if (isDue(client) && mayCall(client)) {
      actions.add(of(client, "call, carry out, reply", this::call, this::carryOut, this::reply));
      if (slow < setting.slow()) {
        actions.add(of(client, "call", this::slow, this::call));
        actions.add(of(client, "call, carry out", this::slow, this::call, this::carryOut));
      }
    }
    if (client.call != null && client.reply == null && client.sent != now) {
      actions.add(of(client, "carry out, reply", this::carryOut, this::reply));
    }
    if (client.reply != null && client.carriedOut != now) {
      actions.add(of(client, "reply", this::reply));
    }
    if (mayAct(client)) {
      if (mayStart(client)) {
        actions.add(of(client, "start", this::start));
      }
      if (!client.open.isEmpty()) {
        actions.add(of(client, "end", this::end));
      }
    }
  }

  // Calls for two keys change nothing of each other, so one order of them is enough: before those
  // for the limit for all keys.
  private boolean mayCall(Client client) {
    if (setting.within() != null && setting.prompt()) {
      for (Client each : clients) {
        if (each == client || each.isOfAll()) {
          return true;
        } else if (!each.paused && isLate(each)) {
          return false;
        }
      }
    }
    return true;
  }

  // A place can be used again and again within a tick: once is enough.
  private boolean mayStart(Client client) {
    return starts < setting.starts()
        && client.open.isEmpty()
        && (client.startedLast != now || setting.interval() > 0)
        && has(client);
  }

  // Both books are asked, whatever the first says: they note what is wanted.
  private boolean has(Client client) {
    Client all = charged(client);
    boolean hasOfAll = all == null || all.book.nanosUntil(now, Cost.ONE) == 0;
    return client.book.nanosUntil(now, Cost.ONE) == 0 && hasOfAll;
  }

  /** Returns that of which a request takes a unit for all keys; null if of nothing. */
  private @Nullable Client charged(Client client) {
    return setting.mutant() == Mutant.KEY_ALONE ? null : client.all;
  }

  // Starts and ends of different clients may change places: one order of them is enough.
  private boolean mayAct(Client client) {
    return !client.isOfAll() && (lastActed == null || lastActed.name.compareTo(client.name) <= 0);
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
    client.call = client.book.request(now, Cost.ONE);
    client.sent = now;
  }

  private void carryOut(Client client) {
    carryOut(new Client[] {client});
  }

  /** One call of these clients, which are of one name; without any if it has been given up. */
  private void carryOut(Client[] callers) {
    var entries = new ArrayList<StoreTwin.Entry>();
    for (Client each : callers) {
      Request call = each.call;
      if (call == null) {
        return;
      }
      entries.add(new StoreTwin.Entry(each.key, each.name, told(call), each.offset));
    }
    Client first = callers[0];
    boolean fresh = generation == 0;
    generation = 1;
    try {
      List<@Nullable Reply> replies = server(first).acquire(entries, law(first), fresh);
      for (int i = 0; i < callers.length; i++) {
        callers[i].reply = replies.get(i);
        callers[i].carriedOut = now;
        callers[i].moved = false;
      }
    } catch (StoreTwin.AwayException e) {
      for (Client each : callers) {
        giveUp(each, requireNonNull(each.call));
      }
    }
  }

  private void reply(Client client) {
    Request call = client.call;
    Reply reply = client.reply;
    if (call != null && reply != null) {
      if (isConfirmed(client, reply)) {
        follow(client, reply.limit());
        long offset = now / 1000 - reply.clock();
        client.offset = offset;
        String beginner =
            setting.mutant() == StoreTwin.Mutant.BEGINNER_BELIEVES
                ? null
                : WallOffset.doubt(offset, reply.offsets(), 0);
        client.book.replied(call, client.sent, now, believed(client, reply), beginner);
      } else {
        giveUp(client, call);
      }
    }
    client.call = null;
    client.reply = null;
    client.dawdles = false;
  }

  private void follow(Client client, String limit) {
    if (!limit.isEmpty() && !client.book.terms().limit().toString().equals(limit)) {
      client.book.change(setting.terms(limit), now);
    }
  }

  // The command WAIT, which is answered with the script's reply, or never.
  private boolean isConfirmed(Client client, Reply reply) {
    if (reply.replicas().isEmpty() || setting.mutant() == Mutant.LAG_FOR_WAIT) {
      return true;
    } else if (client.moved) {
      return setting.mutant() == Mutant.WAIT_ON_ANOTHER_CONNECTION;
    } else if (follows) {
      replica.replicate(store);
    }
    int others = setting.replicas() == Replicas.ONE ? 0 : 1; // that follow the first primary
    int needed = setting.mutant() == Mutant.WAIT_FOR_ONE ? 1 : reply.replicas().size();
    return others + (follows ? 1 : 0) >= needed;
  }

  // A client that believes the store's clock sees no step: its instants are told without it. One
  // that believes late replies lets a lease begin to run when it comes.
  private Reply believed(Client client, Reply reply) {
    long late = setting.mutant() == Mutant.LATE_REPLY_BELIEVED ? (now - client.sent) / 1000 : 0;
    return new Reply(
        reply.clock() - hidden(),
        reply.epoch(),
        reply.revision(),
        reply.limit(),
        reply.own(),
        reply.closedFor(),
        reply.reason(),
        reply.pausedFor(),
        reply.why(),
        reply.replicas(),
        reply.comeBackIn(),
        reply.offsets(),
        reply.grants().stream()
            .map(g -> new Grant(g.from() - hidden(), g.until() - hidden() + late, g.units()))
            .toList());
  }

  private Request told(Request call) {
    return new Request(
        call.number(),
        call.demands(),
        call.epoch(),
        call.distrust(),
        call.revision(),
        call.reports().stream()
            .map(r -> new Report(r.term(), r.lease(), r.left(), r.kind(), r.instant() + hidden()))
            .toList());
  }

  private long hidden() {
    return setting.mutant() == Mutant.CLOCK_TRUSTED ? stepped : 0;
  }

  private void start(Client client) {
    var request = new Served(client.key, now);
    served.add(request);
    over |= isPassed(client, served.stream().filter(each -> each.key.equals(client.key)).toList());
    over |= client.all != null && isPassed(client.all, served);
    starts++;
    client.startedLast = now;
    client.open.add(request);
    client.book.start(now, now, Cost.ONE);
    Client all = charged(client);
    if (all != null) {
      all.book.start(now, now, Cost.ONE);
    }
  }

  private boolean isPassed(Client client, List<Served> counted) {
    return client.book.terms().terms().stream().anyMatch(term -> isPassed(term, counted));
  }

  /** Returns whether the peer, at this instant, may have counted more than a term allows. */
  private boolean isPassed(Term term, List<Served> counted) {
    if (term.kind() != Term.Kind.BUCKET) {
      return counted.stream().filter(each -> now - end(each) < term.interval() * 1000).count()
          > term.capacity();
    }
    return counted.stream()
        .mapToLong(this::end)
        .filter(since -> since <= now)
        .anyMatch(since -> countedSince(counted, since) > refilledSince(term, since));
  }

  private long countedSince(List<Served> counted, long since) {
    return counted.stream().filter(each -> end(each) >= since).count();
  }

  private double refilledSince(Term term, long since) {
    return term.capacity() + (now - since) / 1000 * term.refill() / (double) term.every();
  }

  /** Returns whether a request matters to what may come. */
  boolean counts(Served each) {
    return now - end(each) < setting.memory() * 1000;
  }

  private long end(Served each) {
    return each.open ? latestEnd(each) : each.end;
  }

  private long latestEnd(Served each) {
    return each.start + setting.unanswered() * 1000;
  }

  private void end(Client client) {
    Served request = client.open.remove();
    request.open = false;
    request.end = Math.min(now, latestEnd(request)); // assumed of a process that stood still
    client.book.end(request.start, now, Cost.ONE, Outcome.ANSWERED);
    Client all = charged(client);
    if (all != null) {
      all.book.end(request.start, now, Cost.ONE, Outcome.ANSWERED);
    }
  }

  private void arrive(Late each) {
    lastActed = null;
    late.remove(each);
    try {
      Terms law = each.limit.equals(ALL) ? setting.within() : setting.terms();
      store.at(each.limit).acquire(each.key, each.client, each.call, requireNonNull(law), false);
    } catch (StoreTwin.AwayException e) {
      // Nothing is done.
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

  boolean mayFailOver() {
    return faults < setting.faults()
        && (setting.kinds().contains(Fault.FAILOVER)
            || setting.kinds().contains(Fault.BACK_TO_FIRST)
            || setting.kinds().contains(Fault.REPLACED));
  }

  /**
   * Returns by how much the store's clock may yet be set back, in microseconds. A replica that
   * takes over is behind if the primary's clock was set forward.
   */
  long mayStepBack() {
    int left = setting.faults() - faults;
    long back = setting.kinds().contains(Fault.BACK) ? left * STEP_BACK : 0;
    if (!mayFailOver() && !split) {
      return back;
    }
    long forward = setting.kinds().contains(Fault.FORWARD) ? left * forwardStep() : 0;
    return back + forward + Math.max(0, store.wall - replica.wall);
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
                if (fault == Fault.LATE_CALL) {
                  late.add(new Late(client.name, client.limit, client.key, call));
                }
                giveUp(client, call);
              };
      case LATE_REPLY -> call == null || client.dawdles ? null : () -> client.dawdles = true;
      case LOST_REPLY -> call == null || client.reply == null ? null : () -> giveUp(client, call);
      case PAUSE ->
          client.paused || client.isOfAll() ? null : () -> client.whole(each -> each.paused = true);
      case CRASH -> stepped > 0 || client.isOfAll() ? null : () -> crash(client);
      default -> null;
    };
  }

  private void giveUp(Client client, Request call) {
    client.book.failed(call, now - 100 * TICK); // the pause before it is repeated is over
    client.call = null;
    client.reply = null;
    client.dawdles = false;
  }

  private void crash(Client client) {
    client.whole(
        each -> {
          if (each.call != null && each.reply == null) {
            late.add(new Late(each.name, each.limit, each.key, each.call));
          }
        });
    for (Served each : client.open) {
      each.open = false;
      each.end = latestEnd(each);
    }
    begin(client == clients[0] ? 0 : 1, client.name + "'");
  }

  private @Nullable Runnable storeFault(Fault fault) {
    return switch (fault) {
      case RESTART ->
          () -> {
            store.run += "'";
            store.forget();
          };
      case RESTART_WITH_FILE -> () -> store.run += "'";
      case DURABLE_RESTART -> isAlone ? this::startAnew : null;
      case FLUSH -> store::forget;
      case EVICT_KEY -> setting.key().isEmpty() ? null : this::evict;
      case FORWARD -> this::stepForward;
      case BACK -> () -> store.wall -= STEP_BACK;
      case REPLICA_ATTACHES ->
          setting.replicas() != Replicas.NONE
              ? null
              : () -> {
                store.replication += "'";
                store.earlier = "00";
                replica.replicate(store);
              };
      case FAILOVER -> split ? null : this::failover;
      case BACK_TO_FIRST -> split ? null : this::backToFirst;
      case REPLACED -> follows ? this::replace : null;
      case TAG_LOST -> setting.tag().isEmpty() ? null : () -> store.at(setting.tag()).stored = null;
      case REPLICA_COPIES ->
          setting.replicas() == Replicas.ANOTHER ? () -> replica.replicate(store) : null;
      default -> null;
    };
  }

  private void startAnew() {
    store.run += "'";
    store.replication += "'";
    store.earlier = "00";
    store.evicted = 0;
    store.commands = 0;
  }

  private void evict() {
    isAlone = false;
    store.at(setting.tag()).evict(setting.key());
  }

  private long forwardStep() {
    return 2 * setting.terms(0).use() + MICROS;
  }

  private void stepForward() {
    store.wall += forwardStep();
    stepped += forwardStep();
  }

  /** The replica, which knows what it was last told, takes over. */
  private void failover() {
    isAlone = false;
    StoreTwin old = store;
    store = replica;
    store.earlier = old.replication;
    store.replication = old.replication + "p";
    replica = old;
    follows = false;
    for (Client client : clients) {
      client.moved = true;
    }
  }

  private void replace() {
    failover();
    split = true;
    clients[1].whole(
        each -> {
          each.stays = true;
          each.moved = false;
        });
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
}
