package dev.pacegate.simulator;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.Durations;
import java.util.List;

/**
 * Draws random worlds: a peer of one {@link Kind}, the limit that is meant for it, and a mix of
 * disturbances that do not break the limit's assumptions.
 */
final class RandomWorlds {

  /** The kind of peer, with the limit for it. */
  enum Kind {
    FIXED,
    SLIDING,
    ALIGNED,
    /** Estimates, of any phase and with a fine or coarse clock. */
    ESTIMATED,
    BUCKET,
    GCRA,
    SPACING,
    CONCURRENT,
    /** Windows that begin as the limit says they do. */
    CALENDAR,
    /** Any rule of those whose limit takes {@code counted}: requests are counted on arrival. */
    ARRIVALS;

    boolean isWindow() {
      return this == FIXED || this == SLIDING || this == ALIGNED || this == CALENDAR;
    }
  }

  private static final List<Kind> KINDS = List.of(Kind.values());
  private static final List<PeerSide.Moment> MOMENTS = List.of(PeerSide.Moment.values());
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000_000_000;
  private static final long[] MANY = {1, 2, 3, 10, 10, 50, 50, 200, 1000};
  private static final long[] SPANS = {100 * MILLI, SECOND, SECOND, 10 * SECOND, 60 * SECOND};

  private static final List<Kind> COUNTED =
      List.of(Kind.FIXED, Kind.SLIDING, Kind.ALIGNED, Kind.ESTIMATED, Kind.BUCKET, Kind.SPACING);

  private final Kind kind; // of the rule
  private final boolean arrivals; // only they are counted, so the limit says when
  private final Chance chance;
  private final long sends;

  private RandomWorlds(Kind kind, Chance chance, long sends) {
    this.arrivals = kind == Kind.ARRIVALS;
    this.kind = arrivals ? COUNTED.get((int) chance.below(COUNTED.size())) : kind;
    this.chance = chance;
    this.sends = sends;
  }

  /** Returns world {@code index} of those of {@code seed}; the kinds take turns. */
  static Scenario draw(long seed, int index, long sends) {
    var chance = new Chance(seed * 1_000_003 + index);
    return new RandomWorlds(kind(index), chance, sends).draw();
  }

  static Kind kind(int index) {
    return KINDS.get(index % KINDS.size());
  }

  private Scenario draw() {
    Network network = network();
    Rates rates = rates();
    Client client = priced(client(network, rates), rates);
    PeerClock clock = clock(rates);
    var peer = new PeerSide(Rule.parse(rates.rule(kind)), clock, moment(), chance.below(2) == 0);
    Limit limit = Limits.parse(rates.limit(kind, latest(network, client), clock));
    return new Scenario(limit, client, network, peer, sends, chance.below(SECOND));
  }

  /** Returns the numbers; an estimate leaves room for a rate beside the burst. */
  private Rates rates() {
    boolean shared = kind == Kind.ESTIMATED;
    long most = shared ? Math.max(2, many()) : many();
    long nanos = SPANS[(int) chance.below(SPANS.length)];
    return new Rates(most, nanos, 1 + chance.below(shared ? most - 1 : most));
  }

  private long many() {
    return MANY[(int) chance.below(MANY.length)];
  }

  private boolean some() {
    return chance.below(2) == 0;
  }

  private Network network() {
    return new Network(
        delay(),
        work(),
        delay(),
        some() ? new Odds(10_000) : Odds.NEVER,
        new Delay.Between(SECOND / 2, 4 * SECOND),
        some() ? Odds.NEVER : new Odds(3_000),
        some() ? Odds.NEVER : new Odds(3_000));
  }

  /** Returns how long the peer works: it may be long where that does not matter. */
  private Delay work() {
    if (arrivals && some()) {
      return new Delay.Between(SECOND, 60 * SECOND);
    }
    return some() ? delay() : Delay.NONE;
  }

  private Delay delay() {
    long nanos = (1 + chance.below(100)) * MILLI;
    return switch ((int) chance.below(3)) {
      case 0 -> new Delay.Between(nanos, nanos);
      case 1 -> new Delay.Between(nanos / 4, nanos * 2);
      default -> new Delay.LogNormal(nanos, nanos * (2 + chance.below(12)));
    };
  }

  private Client client(Network network, Rates rates) {
    boolean impatient = some();
    boolean stops = chance.below(4) == 0;
    var pause = new Delay.Between(100 * MILLI, 2 * SECOND);
    return new Client(
        demand(),
        1,
        1,
        impatient ? 300 * MILLI : longest(network),
        stops ? new Odds(1_000) : Odds.NEVER,
        pause,
        arrivals && some() && pause.longest() <= rates.rest(kind),
        chance.below(4) == 0 ? new Delay.Between(0, 2 * MILLI) : Delay.NONE,
        List.of());
  }

  private Demand demand() {
    return switch ((int) chance.below(4)) {
      case 0 -> new Demand.Loop(1 + chance.below(100));
      case 1 -> new Demand.Bursts(1 + chance.below(50), (1 + chance.below(20)) * SECOND / 2);
      default -> new Demand.Always();
    };
  }

  /** Returns the client, now and then with other costs if the peer counts any. */
  private Client priced(Client client, Rates rates) {
    long largest = kind.isWindow() ? rates.most : rates.burst;
    boolean plain = kind == Kind.SPACING || kind == Kind.CONCURRENT || chance.below(4) > 0;
    return new Client(
        client.demand(),
        1,
        plain ? 1 : Math.min(5, largest),
        client.timeOut(),
        client.pauses(),
        client.pause(),
        client.tellsSending(),
        client.lateness(),
        client.changes());
  }

  /** Returns a clock with an error that the margin allows. */
  private PeerClock clock(Rates rates) {
    long[] grains = {1, 1000, MILLI / 2, MILLI};
    long grain = grains[(int) chance.below(grains.length)];
    if (kind == Kind.ESTIMATED && some()) {
      grain = Math.min(SECOND, rates.nanos / 2);
    }
    if (kind == Kind.CALENDAR) { // no error of its rate, which would add up over the years
      return new PeerClock(
          chance.below(2 * rates.margin() - grain) + grain - rates.margin(), 0, grain);
    }
    return new PeerClock(chance.below(3_600 * SECOND), chance.below(1801) - 900, grain);
  }

  private PeerSide.Moment moment() {
    return arrivals ? PeerSide.Moment.ARRIVAL : MOMENTS.get((int) chance.below(MOMENTS.size()));
  }

  private static long longest(Network network) {
    return network.there().longest()
        + network.work().longest()
        + network.back().longest()
        + network.stall().longest();
  }

  /** Returns the option that says how long after its start a request is counted at the latest. */
  private String latest(Network network, Client client) {
    boolean stalls = network.stalls().millionths() > 0;
    long there = network.there().longest() + (stalls ? network.stall().longest() : 0);
    return arrivals
        ? "counted="
            + Durations.format(client.tellsSending() ? there : there + client.pause().longest())
        : "unanswered=" + Durations.format(longest(network) + 2 * client.pause().longest());
  }

  /** The numbers of a peer's rule, and of the limit for it. */
  private static final class Rates {

    final long most;
    final long nanos;
    final long burst;

    Rates(long most, long nanos, long burst) {
      this.most = most;
      this.nanos = nanos;
      this.burst = burst;
    }

    String rule(Kind kind) {
      String rate = most + "/" + Durations.format(nanos);
      return switch (kind) {
        case FIXED -> "fixed(" + rate + ")";
        case ESTIMATED -> "estimated(" + rate + ")";
        case SLIDING -> "sliding(" + rate + ")";
        case ALIGNED, CALENDAR -> "aligned(" + rate + ")";
        case BUCKET -> "bucket(" + rate + ", burst=" + burst + ")";
        case GCRA -> "gcra(" + rate + ", burst=" + burst + ")";
        case SPACING -> "spacing(" + gap() + ")";
        case CONCURRENT -> "concurrent(" + most + ")";
        case ARRIVALS -> throw new IllegalArgumentException("has no rule of its own");
      };
    }

    String limit(Kind kind, String latest, PeerClock clock) {
      String rate = most + "/" + Durations.format(nanos);
      String lost = ", " + latest + ")";
      return switch (kind) {
        case FIXED, SLIDING, ALIGNED -> "peer(" + rate + lost;
        case ESTIMATED ->
            "peer(bucket(" + besideBurst(clock.grain()) + ", burst=" + burst + ")" + lost;
        case BUCKET, GCRA -> "peer(bucket(" + rate + ", burst=" + burst + ")" + lost;
        case SPACING -> "peer(spacing(" + gap() + ")" + lost;
        case CONCURRENT -> "concurrent(" + most + lost;
        case CALENDAR -> "aligned(" + rate + ", margin=" + Durations.format(margin()) + lost;
        case ARRIVALS -> throw new IllegalArgumentException("has no limit of its own");
      };
    }

    /** Returns the rate of the bucket for a peer that estimates; the margin covers a fine grain. */
    private String besideBurst(long grain) {
      return most - burst + "/" + Durations.format(nanos + (grain > MILLI ? grain : 0));
    }

    /** Returns after what time what one request has spent may be spent again. */
    long rest(Kind kind) {
      return kind.isWindow() ? nanos : nanos / most;
    }

    /** Returns how far the clock of a peer with a calendar may differ. */
    long margin() {
      return Math.min(SECOND, nanos / 10);
    }

    private String gap() {
      return Durations.format(Math.max(1, nanos / most));
    }
  }
}
