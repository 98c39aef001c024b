package dev.pacegate.redis;

import static java.time.temporal.ChronoUnit.SECONDS;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.spi.Inlet;
import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * This process's part in a limit that the store counts: it owns the {@link LeaseBook}, calls the
 * store and tells the limiter what is new. Goes on when the limit is changed.
 *
 * <p>The book is used inside the limiter's gate only; what is called outside of it says so.
 */
final class SharedLimit {

  private static final int SLOW = 5; // so many replies in a row are no accident
  private static final long QUIET = Duration.ofMinutes(1).toNanos();
  private static final Pattern SCRIPT_ERROR =
      Pattern.compile(".*user_script:\\d+: (.*?)( script: .*)?", Pattern.DOTALL);

  private final Address address;
  private final String name;
  private final String client;
  private final Settings settings;
  private final Store store;
  private final Time time;
  private final Inlet inlet;
  private final @Nullable Inlet all; // the inlet of all keys, if this is the limit of a key
  private final SharedSource source;
  private final LeaseBook book;
  private volatile @Nullable Long wakeAt; // changed inside the gate only
  private String beganAs = ""; // why the epoch began
  private @Nullable String paused; // why; null if it is not
  private boolean retired;
  private volatile @Nullable Outage outage; // changed inside the gate only; null if there is none

  // Outside the gate, by the thread that has the reply.
  private volatile String fenced = ""; // the epoch of which the log has told the fence
  private volatile @Nullable ToldPause toldPause; // null if none lasts
  private volatile @Nullable Long offset; // of the wall clock, once the store has answered
  private volatile int slow; // how many replies in a row were of no use
  private volatile @Nullable Long warned;
  private @Nullable Scheduled alarm; // guarded by this

  /** What was said of a pause, in which epoch, and at which local instant it is over. */
  private record ToldPause(String text, String epoch, long until) {}

  /** Why the store is of no use, and since when. */
  private record Outage(String since, String why) {}

  SharedLimit(
      Address address,
      String client,
      Settings settings,
      Store store,
      Time time,
      Inlet inlet,
      @Nullable Inlet all,
      SharedSource source,
      LeaseBook book) {
    this.address = address;
    this.name = address.name();
    this.client = client;
    this.settings = settings;
    this.store = store;
    this.time = time;
    this.inlet = inlet;
    this.all = all;
    this.source = source;
    this.book = book;
  }

  Address address() {
    return address;
  }

  LeaseBook book() {
    return book;
  }

  /** The limiter was closed: nothing more is wanted. */
  void retire() {
    retired = true;
    book.retire();
    source.retired(inlet, this);
  }

  // A call that failed may be told after a later one was answered: then the store is not down.
  private void failed(Request request, long now, String why) {
    if (book.failed(request, now)) {
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
      long sent,
      long received,
      Reply reply,
      @Nullable String unfit,
      @Nullable String beginner) {
    book.replied(request, sent, received, reply, beginner);
    outage = unfit == null ? null : outage(unfit);
    beganAs = reply.reason();
    paused = reply.pausedFor() > reply.closedFor() ? pause(reply) : null;
    LeaseBook.Known known = all == null || reply.own() ? null : book.known();
    if (known != null) {
      source.learned(known);
    }
  }

  /** Returns why nothing is granted for now; null if it is. */
  @Nullable String unavailable(long now) {
    long left = book.closedFor(now);
    if (left == 0) {
      return null;
    }
    return paused == null ? fence(left / 1000, beganAs) : paused;
  }

  /** Returns what is to be done outside the gate; null if nothing. */
  @Nullable Runnable errand(long now, Cost wanted) {
    Cost cost = retired ? Cost.none() : wanted;
    if (store.isClosed()) {
      return null;
    }
    Request request = book.request(now, cost);
    if (request != null) {
      Terms terms = book.terms();
      return () -> call(request, terms);
    }
    Long due = book.dueAt(now, cost);
    if (Objects.equals(due, wakeAt)) {
      return null;
    }
    wakeAt = due;
    return () -> wake(due);
  }

  // Outside the gate

  // Errands come in any order: one that a later visit has made needless does nothing.
  private synchronized void wake(@Nullable Long due) {
    if (!Objects.equals(due, wakeAt)) {
      return;
    }
    Scheduled earlier = alarm;
    alarm = due == null ? null : alarm(due - inlet.now());
    if (earlier != null) {
      earlier.cancel();
    }
  }

  private Scheduled alarm(long delay) {
    return time.at(time.nanoTime() + Math.max(0, delay), this::woken);
  }

  private void woken() {
    inlet.tell(now -> wakeAt = null);
    refuseAgain();
  }

  private void call(Request request, Terms terms) {
    long sent = inlet.now();
    store.run(
        Script.ACQUIRE,
        address,
        terms.terms().size(),
        ScriptArguments.acquire(
            client, request, ofAll(terms), settings.fresh(), address.check(), label(), offset),
        (reply, failure) -> answered(request, terms, sent, reply, failure));
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
    long received = inlet.now();
    if (reply == null) {
      String why = complaint(failure);
      inlet.tell(now -> failed(request, now, why));
      tellOutage();
      refuseAgain();
      return;
    }
    long ahead = WallOffset.of(time.instant(), reply, received - sent);
    offset = ahead;
    String beginner = WallOffset.doubt(ahead, reply.offsets(), WallOffset.TOLERANCE);
    String unfit = reply.limit().isEmpty() ? null : follow(reply.limit(), reply.own());
    inlet.tell(now -> replied(request, sent, received, reply, unfit, beginner));
    tellOutage();
    refuseAgain();
    tellFence(reply);
    tellPause(reply, received);
    tellSlowness(received - sent, terms.use() * 1000);
  }

  /**
   * Puts the limit of the store in force, whatever this process was started with. Returns why that
   * cannot be; null if it is.
   */
  private @Nullable String follow(String limit, boolean own) {
    try {
      if (source.follow(limit, own, inlet, all)) {
        Log.info(name + ": the limit is " + limit);
      }
      return null;
    } catch (IllegalArgumentException e) {
      return "has the limit " + limit + ", which this process cannot follow: " + e.getMessage();
    }
  }

  private void tellPause(Reply reply, long received) {
    ToldPause before = toldPause;
    ToldPause now =
        reply.pausedFor() == 0
            ? null
            : new ToldPause(pause(reply), reply.epoch(), received + reply.pausedFor() * 1000);
    toldPause = now;
    if (now != null && (before == null || !now.text().equals(before.text()))) {
      Log.warning(name + ": " + now.text());
    } else if (now == null && before != null) {
      Log.warning(name + ": " + ending(before, reply, received));
    }
  }

  // A pause stands in the record: it is lost with it, though no one has ended it.
  private static String ending(ToldPause pause, Reply reply, long received) {
    boolean lost =
        reply.isOfNewRecord()
            && !reply.epoch().equals(pause.epoch())
            && pause.until() - received > 0;
    return lost ? "the store has lost the pause, which was not over" : "the pause is over";
  }

  private static String pause(Reply reply) {
    return "paused in the store" + (reply.why().isEmpty() ? "" : ": " + reply.why());
  }

  private void tellFence(Reply reply) {
    if (reply.closedFor() > 0 && !reply.epoch().equals(fenced)) {
      fenced = reply.epoch();
      Log.warning(name + ": " + fence(reply.closedFor(), reply.reason()));
    }
  }

  // What a reply grants that took longer is over before it can be used.
  private void tellSlowness(long took, long use) {
    slow = took < use ? 0 : slow + 1;
    if (slow == SLOW) {
      Log.warning(
          name
              + ": the store takes "
              + Durations.brief(took)
              + " to answer; requests wait until it takes less than "
              + Durations.brief(use));
    }
  }

  private static String fence(long micros, String reason) {
    return "nothing is let through for "
        + Durations.brief(micros * 1000)
        + ", as "
        + reason
        + " and what was let through before may yet count";
  }

  private void tellOutage() {
    Outage now = outage;
    Long last = warned;
    if (now == null && last != null) {
      warned = null;
      Log.info(name + ": the store answers again");
    } else if (now != null && (last == null || time.nanoTime() - last >= QUIET)) {
      warned = time.nanoTime();
      Log.warning(name + ": the store " + now.why() + "; requests " + instead());
    }
  }

  private String instead() {
    return settings.whenDown() == WhenDown.WAIT ? "wait" : "are refused";
  }

  // News end a refusal. The store may answer while it is refused here, and no later news might end
  // that: then it is ended here.
  private void refuseAgain() {
    Outage known = outage;
    if (known != null && settings.whenDown() == WhenDown.FAIL) {
      inlet.refuse("the store of " + name + " " + known.why() + ", since " + known.since());
      if (outage == null) {
        inlet.tell(now -> {});
      }
    }
  }

  /** Returns what is wrong with the store: an error of a script is told by its words alone. */
  private static String complaint(@Nullable Throwable failure) {
    String reason = reason(failure);
    if (cause(failure) instanceof UnconfirmedException) {
      return reason;
    }
    return cause(failure) instanceof RedisCommandExecutionException
        ? "answers with an error: " + SCRIPT_ERROR.matcher(reason).replaceFirst("$1")
        : "does not answer: " + reason;
  }

  private static @Nullable Throwable cause(@Nullable Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  static String reason(@Nullable Throwable failure) {
    Throwable cause = cause(failure);
    if (cause == null) {
      return "no reply";
    }
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }
}
