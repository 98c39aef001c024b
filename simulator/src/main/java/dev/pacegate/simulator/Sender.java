package dev.pacegate.simulator;

import dev.pacegate.limit.Rate;

/**
 * A process that sends. A world has one; two processes would share only the world and its peer, so
 * a second one would be a second object of this class.
 */
final class Sender {

  final World world;
  private final Client client;
  private final Network network;
  private final Chance demands;
  private final Chance fates;
  private final Pacer pacer;
  private final long sends;
  final Waits waits = new Waits();
  long asked;
  long released;
  long cost;
  long costAtFirst; // at the very instant of the first release
  long open;
  long timedOut;
  long lostOrBroken;
  long firstRelease;
  long lastRelease;
  double held; // cost times nanoseconds from the start to the end as the limit sees it
  private long waiting;
  private long awakeAt;
  private boolean asking;
  private long arrivals;

  Sender(World world, Scenario scenario, Pacer.Maker maker, Chance chance) {
    this.world = world;
    this.client = scenario.client();
    this.network = scenario.network();
    this.sends = scenario.sends();
    this.demands = chance.split();
    this.fates = chance.split();
    this.pacer = maker.make(new ProcessTime(this, client.lateness(), chance.split()));
  }

  void start() {
    for (Client.Change change : client.changes()) {
      world.at(change.at(), () -> whenAwake(() -> pacer.change(change.limit())));
    }
    if (client.demand() instanceof Demand.Always || client.demand() instanceof Demand.Loop) {
      topUp();
    } else {
      arrive();
    }
  }

  // ---- demand

  /** Issues as many requests as a closed loop wants; never from within itself. */
  private void topUp() {
    if (asking) {
      return;
    }
    asking = true;
    while (asked < sends && wantsMore() && awake()) {
      ask(world.now());
    }
    asking = false;
  }

  private boolean wantsMore() {
    return client.demand() instanceof Demand.Loop loop
        ? waiting + open < loop.callers()
        : client.demand() instanceof Demand.Always && waiting == 0;
  }

  /** Issues the requests that arise now, and schedules the next. */
  private void arrive() {
    long now = world.now();
    long many = client.demand() instanceof Demand.Bursts bursts ? bursts.size() : 1;
    for (long i = 0; i < many && arrivals < sends; i++) {
      arrivals++;
      whenAwake(() -> ask(now));
    }
    if (arrivals < sends) {
      world.at(next(now), this::arrive);
    }
  }

  private long next(long now) {
    if (client.demand() instanceof Demand.Bursts bursts) {
      return now + bursts.every();
    }
    if (client.demand() instanceof Demand.Even even) {
      Rate rate = even.rate();
      return arrivals / rate.permits() * rate.nanos()
          + arrivals % rate.permits() * rate.nanos() / rate.permits();
    }
    Rate rate = ((Demand.Irregular) client.demand()).rate();
    double gap = demands.exponential() * rate.nanos() / rate.permits();
    return now + Math.max(1, (long) gap);
  }

  private void ask(long since) {
    long least = client.leastCost();
    long range = client.mostCost() - least;
    long price = range == 0 ? least : least + demands.below(range + 1);
    waiting++;
    pacer.enter(price, new Request(this, asked++, price, since));
  }

  // ---- requests

  void released(Request request) {
    long now = world.now();
    waiting--;
    open++;
    if (released == 0) {
      firstRelease = now;
    }
    released++;
    lastRelease = now;
    cost += request.cost;
    costAtFirst += now == firstRelease ? request.cost : 0;
    waits.add(now - request.asked);
    request.released = now;
    world.digest(1, request.id, now);
    if (awake() && fates.happens(client.pauses().millionths())) {
      awakeAt = now + client.pause().draw(fates);
      world.at(awakeAt, this::topUp);
    }
    request.sent = Math.max(now, awakeAt);
    if (request.sent > now && client.tellsSending()) {
      world.at(request.sent, request::send);
    }
    travel(request);
    topUp();
  }

  /** Draws everything that will happen to a request, and schedules it. */
  private void travel(Request request) {
    boolean stalls = fates.happens(network.stalls().millionths());
    boolean lost = fates.happens(network.lost().millionths());
    boolean breaks = fates.happens(network.resets().millionths());
    boolean early = (stalls || lost) && fates.below(2) == 0;
    long stall = stalls ? network.stall().draw(fates) : 0;
    request.arrives = request.sent + network.there().draw(fates) + (early ? stall : 0);
    request.worked = request.arrives + network.work().draw(fates);
    long answered = request.worked + network.back().draw(fates) + (early ? 0 : stall);
    if (!(lost && early)) {
      request.counts = world.server.counts(request.arrives, request.worked, fates);
      world.at(request.counts, request::count);
    }
    end(request, lost ? Long.MAX_VALUE : answered, breaks);
    world.starts(request);
  }

  private void end(Request request, long answered, boolean breaks) {
    long gaveUp = request.sent + client.timeOut();
    request.ends = Math.min(answered, gaveUp);
    if (breaks) {
      request.ends = request.sent + fates.below(request.ends - request.sent + 1);
      request.ending = Request.Ending.BROKEN;
    } else if (answered > gaveUp) {
      request.ending = Request.Ending.TIMED_OUT;
    }
    world.at(request.ends, request::end);
  }

  void ended(Request request) {
    if (!awake()) {
      whenAwake(request::end);
      return;
    }
    long now = world.now();
    request.ends = now;
    open--;
    world.ends(request);
    if (request.ending == Request.Ending.TIMED_OUT) {
      timedOut++;
    }
    held += request.cost * (double) held(request, now);
    world.digest(request.ending.kind, request.id, now);
    request.endPermit();
    topUp();
  }

  private long held(Request request, long now) {
    long start = request.released;
    return request.ending == Request.Ending.ANSWERED
        ? now - start
        : Math.max(now - start, world.unanswered);
  }

  // ---- standing still

  boolean awake() {
    return world.now() >= awakeAt;
  }

  /** Runs {@code task} now, or as soon as the process goes on. */
  void whenAwake(Runnable task) {
    if (awake()) {
      task.run();
    } else {
      world.at(awakeAt, () -> whenAwake(task));
    }
  }

  boolean isDone() {
    return released == sends && open == 0;
  }

  void close() {
    pacer.close();
  }
}
