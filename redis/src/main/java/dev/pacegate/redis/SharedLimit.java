package dev.pacegate.redis;

import static java.time.temporal.ChronoUnit.SECONDS;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.spi.NewsSink;
import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The client of one shared limit: it owns the {@link LeaseBook}, calls the store and tells the
 * limiter what is new. Goes on when the limit is changed.
 *
 * <p>The book is used inside the limiter's gate only; what is called outside of it says so.
 */
final class SharedLimit {

  /** The part of E for which a machine may stand still unnoticed. */
  private static final int UNNOTICED = 8;

  private final Address address;
  private final String name;
  private final String client;
  private final Settings settings;
  private final ScriptRunner store;
  private final Time time;
  private final NewsSink sink;
  private final @Nullable NewsSink all; // the sink of all keys, if this is the limit of a key
  private final SharedSource source;
  private final LeaseBook book;
  private final Standstill standstill;
  private volatile @Nullable Long wakeAt; // changed inside the gate only
  private String beganAs = ""; // why the epoch began
  private @Nullable String paused; // why; null if it is not
  private @Nullable AcquireCall report; // under way, and no request waits for it
  private boolean retired;
  private boolean isTurnedAway; // what waits, as the connection was closed
  private volatile @Nullable Outage outage; // changed inside the gate only; null if there is none

  // Outside the gate.
  private volatile @Nullable Long offset; // of the wall clock, once the store has answered
  private @Nullable Scheduled alarm; // guarded by this

  /** Why the store is of no use, and since when. */
  private record Outage(String since, String why) {

    String text(String name) {
      return "the store of " + name + " " + why + ", since " + since;
    }
  }

  SharedLimit(
      Address address,
      String client,
      Settings settings,
      ScriptRunner store,
      Time time,
      NewsSink sink,
      @Nullable NewsSink all,
      SharedSource source,
      LeaseBook book) {
    this.address = address;
    this.name = address.name();
    this.client = client;
    this.settings = settings;
    this.store = store;
    this.time = time;
    this.sink = sink;
    this.all = all;
    this.source = source;
    this.book = book;
    this.standstill = new Standstill(time, sink.now());
  }

  Address address() {
    return address;
  }

  LeaseBook book() {
    return book;
  }

  /** Returns the book after a look at whether this machine stood still, for what depends on it. */
  LeaseBook bookAt(long now) {
    long stood = standstill.since(now, book.terms().use() * 1000 / UNNOTICED);
    if (stood > 0) {
      book.stoodStill(now, stood);
    }
    return book;
  }

  /** The limiter was closed: nothing more is wanted. */
  void retire() {
    retired = true;
    book.retire();
    source.retired(sink, this);
  }

  // It may have been answered, or have failed, just before it is told to be late.
  private void late(Request request, String why) {
    sink.tell(now -> outage = book.isUnderWay(request) ? outage(why) : outage);
    tellOutage();
    refuseAgain();
  }

  // A call that failed may be told after a later one was answered: then the store is not down.
  private void failed(Request request, long now, String why) {
    if (book.failed(request, now)) {
      report = null;
      outage = outage(why);
    }
  }

  private Outage outage(String why) {
    Outage before = outage;
    String since = before == null ? time.instant().truncatedTo(SECONDS).toString() : before.since();
    return new Outage(since, why);
  }

  private void replied(
      Request request,
      long now,
      long sent,
      long received,
      Reply reply,
      @Nullable String unfit,
      @Nullable String beginner) {
    bookAt(now).replied(request, sent, received, reply, beginner);
    report = book.isUnderWay(request) ? report : null;
    outage = unfit == null ? null : outage(unfit);
    beganAs = reply.reason();
    paused = reply.pausedFor() > reply.closedFor() ? pause(reply) : null;
    LeaseBook.Known known = all == null || reply.own() ? null : book.known();
    if (known != null) {
      source.learned(address.tag(), known);
    }
  }

  /** Returns why nothing is granted for now; null if it is, or something is left of a lease. */
  @Nullable String unavailable(long now) {
    long left = book.closedFor(now);
    if (left > 0) {
      return paused == null ? LimitLog.fence(left / 1000, beganAs) : paused;
    }
    Outage known = outage;
    return known == null || book.hasUsable(now) ? null : known.text(name);
  }

  /** Returns whether the store is of no use, rather than closed for a while. */
  boolean fails(long now) {
    return outage != null && !book.hasUsable(now);
  }

  /** Returns what is to be done outside the gate; null if nothing. */
  @Nullable Runnable errand(long now, Cost wanted) {
    Cost cost = retired ? Cost.none() : wanted;
    boolean isOver = store.isClosed();
    String over = source.over();
    if (over != null && isTurnedAway != !book.isFree(cost)) { // it came when all others had been
      isTurnedAway = !isTurnedAway;
      return isTurnedAway ? () -> sink.refuse(over) : null;
    }
    Request request = isOver ? null : bookAt(now).request(now, cost);
    if (request != null) {
      var call = new AcquireCall(request, book.terms());
      report = outage == null && request.onlyReports(book.terms()) ? call : null;
      if (report == null) {
        call.waitedFor.complete(null);
      }
      return () -> call(call);
    }
    AcquireCall untilNow = report;
    Long openAt = untilNow == null ? null : book.openAt(); // only the next request can tell it
    if (untilNow != null && (!book.isFree(cost) || (openAt != null && openAt - now <= 0))) {
      report = null;
      return () -> untilNow.waitedFor.complete(null);
    }
    Long due = isOver ? null : LeaseBook.earlier(openAt, book.dueAt(now, cost));
    if (Objects.equals(due, wakeAt)) {
      return null;
    }
    wakeAt = due;
    return () -> wake(due);
  }

  // Outside the gate

  // Errands come in any order: one that a later visit has made needless does nothing, nor does one
  // that comes after stop().
  private synchronized void wake(@Nullable Long due) {
    if (!Objects.equals(due, wakeAt)) {
      return;
    }
    Scheduled earlier = alarm;
    alarm = due == null || store.isClosed() ? null : alarm(due - sink.now());
    if (earlier != null) {
      earlier.cancel();
    }
  }

  /** The store is closed: looks no more, as what a timer has is not collected. */
  synchronized void stop() {
    if (alarm != null) {
      alarm.cancel();
      alarm = null;
    }
  }

  private Scheduled alarm(long delay) {
    return time.at(time.nanoTime() + Math.max(0, delay), this::woken);
  }

  private void woken() {
    sink.tell(now -> wakeAt = null);
    refuseAgain();
  }

  private void call(AcquireCall call) {
    store.run(Script.ACQUIRE, address, call.terms.terms().size(), call);
  }

  /** A call, which may have to wait for its turn. */
  private final class AcquireCall implements Caller {
    private final Request request;
    private final Terms terms;
    private final CompletableFuture<@Nullable Void> waitedFor = new CompletableFuture<>();
    private volatile long sent;

    AcquireCall(Request request, Terms terms) {
      this.request = request;
      this.terms = terms;
    }

    @Override
    public @Nullable Object source() {
      return all == null ? null : source;
    }

    @Override
    public List<String> common() {
      return ScriptArguments.common(
          ofAll(terms), settings.fresh(), settings.durable(), address.check(), label());
    }

    @Override
    public List<String> arguments() {
      sent = sink.now();
      return ScriptArguments.entry(client, request, offset);
    }

    @Override
    public CompletableFuture<@Nullable Void> waitedFor() {
      return waitedFor;
    }

    @Override
    public long usefulFor() {
      return terms.use() * 1000;
    }

    @Override
    public void late(Throwable why) {
      SharedLimit.this.late(request, Causes.ofCall(why));
    }

    @Override
    public void answered(@Nullable Reply reply, @Nullable Throwable failure) {
      try {
        SharedLimit.this.answered(request, terms, sent, reply, failure);
      } catch (Throwable e) { // it would be under way for ever
        noAnswer(request, e);
        throw e;
      }
    }
  }

  // A key may have a limit of its own: a server that has forgotten all is told the limit of all
  // keys.
  private Terms ofAll(Terms terms) {
    return all == null ? terms : source.ofAll(terms);
  }

  private String label() {
    return address.hash() == null ? settings.label() : "";
  }

  private void answered(
      Request request, Terms terms, long sent, @Nullable Reply reply, @Nullable Throwable failure) {
    long received = sink.now();
    source.answered(address, reply, failure);
    if (reply == null) {
      noAnswer(request, failure);
      return;
    }
    long took = received - sent;
    boolean tells = WallOffset.isToldBy(took);
    long ahead = WallOffset.of(time.instant(), reply, took);
    String beginner = WallOffset.doubt(ahead, reply.offsets(), WallOffset.TOLERANCE);
    if (tells) {
      offset = ahead;
    }
    String unfit = reply.limit().isEmpty() ? null : follow(reply);
    sink.tell(
        now -> {
          if (tells || !book.isBeginner()) {
            replied(request, now, sent, received, reply, unfit, beginner);
          } else { // it could not tell whether the store's clock was set
            failed(request, now, "takes " + Durations.brief(took) + " to answer");
          }
        });
    tellOutage();
    refuseAgain();
    source.log().fence(address.tag(), reply, received);
    source.log().pause(address.tag(), reply.pausedFor() > 0 ? pause(reply) : "", reply, received);
    source.log().took(took, terms);
  }

  private void noAnswer(Request request, @Nullable Throwable failure) {
    String why = Causes.ofCall(failure);
    sink.tell(now -> failed(request, now, why));
    tellOutage();
    refuseAgain();
  }

  /**
   * Puts the limit of the store in force, whatever this process was started with. Returns why that
   * cannot be; null if it is.
   */
  @Nullable String follow(Reply reply) {
    String limit = reply.limit();
    try {
      if (source.follow(reply, address, sink, all)) {
        Log.info(name + ": the limit is " + limit);
      }
      return null;
    } catch (IllegalArgumentException e) {
      return "has the limit " + limit + ", which this process cannot use: " + e.getMessage();
    }
  }

  private static String pause(Reply reply) {
    return "paused in the store" + (reply.why().isEmpty() ? "" : ": " + reply.why());
  }

  private void tellOutage() {
    Outage now = outage;
    if (now == null) {
      source.log().answered(this);
    } else {
      source.log().failed(this, now.why());
    }
  }

  // News end a refusal. The store may answer while it is refused here, and no later news might end
  // that: then it is ended here.
  private void refuseAgain() {
    Outage known = outage;
    if (known != null && settings.whenDown() == WhenDown.FAIL) {
      sink.refuse(known.text(name));
      if (outage == null) {
        sink.tell(now -> {});
      }
    }
  }
}
