package dev.pacegate.redis;

import static java.time.temporal.ChronoUnit.SECONDS;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.spi.Inlet;
import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionException;
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

  private final String name;
  private final String client;
  private final Settings settings;
  private final Store store;
  private final Time time;
  private final Inlet inlet;
  private final LeaseBook book;
  private volatile @Nullable Long wakeAt; // changed inside the gate only
  private String beganAs = ""; // why the epoch began
  private boolean retired;

  // Outside the gate, by the thread that has the reply.
  private volatile String fenced = ""; // the epoch of which the log has told the fence
  private volatile String followed; // the limit of which the log has told
  private volatile @Nullable String down; // since when
  private volatile String reason = "";
  private volatile int slow; // how many replies in a row were of no use
  private volatile @Nullable Long warned;
  private @Nullable Scheduled alarm; // guarded by this

  SharedLimit(
      String name,
      String client,
      Settings settings,
      Store store,
      Time time,
      Inlet inlet,
      LeaseBook book) {
    this.name = name;
    this.client = client;
    this.settings = settings;
    this.store = store;
    this.time = time;
    this.inlet = inlet;
    this.book = book;
    this.followed = book.terms().limit().toString();
  }

  LeaseBook book() {
    return book;
  }

  /** The limiter was closed: nothing more is wanted. */
  void retire() {
    retired = true;
    book.retire();
  }

  private void replied(Request request, long sent, long received, Reply reply) {
    book.replied(request, sent, received, reply);
    beganAs = reply.reason();
  }

  /** Returns why nothing is granted for now; null if it is. */
  @Nullable String unavailable(long now) {
    long left = book.closedFor(now);
    return left == 0 ? null : fence(left / 1000, beganAs);
  }

  /** Returns what is to be done outside the gate; null if nothing. */
  @Nullable Runnable errand(long now, Cost wanted) {
    long units = retired ? 0 : book.terms().measure().of(wanted);
    if (store.isClosed()) {
      return null;
    }
    Request request = book.request(now, units);
    if (request != null) {
      Terms terms = book.terms();
      return () -> call(request, terms);
    }
    Long due = book.dueAt(now, units);
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
        name,
        ScriptArguments.acquire(client, request, terms, settings.fresh()),
        (reply, failure) -> answered(request, terms, sent, reply, failure));
  }

  private void answered(
      Request request, Terms terms, long sent, @Nullable Reply reply, @Nullable Throwable failure) {
    long received = inlet.now();
    if (reply == null) {
      inlet.tell(now -> book.failed(request, now));
      isDown(reason(failure));
      return;
    }
    isUp();
    inlet.tell(now -> replied(request, sent, received, reply));
    tellFence(reply);
    tellSlowness(received - sent, terms.use() * 1000);
    if (!reply.limit().isEmpty()) {
      follow(reply.limit());
    }
  }

  // The limit in the store is in force, whatever this process was started with.
  private void follow(String limit) {
    try {
      inlet.change(Limits.parse(limit));
    } catch (IllegalArgumentException e) {
      isDown("its limit is " + limit + ", and " + e.getMessage());
      return;
    }
    if (!limit.equals(followed)) {
      followed = limit;
      Log.info(name + ": the limit is " + limit);
    }
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
              + Durations.format(took / 1_000_000 * 1_000_000)
              + " to answer; requests wait until it takes less than "
              + Durations.format(use));
    }
  }

  private static String fence(long micros, String reason) {
    return "nothing is let through for "
        + Durations.format(micros / 1000 * 1_000_000)
        + ", as "
        + reason
        + " and what was let through before may yet count";
  }

  private void isDown(String why) {
    reason = why;
    if (down == null) {
      down = time.instant().truncatedTo(SECONDS).toString();
    }
    Long last = warned;
    long now = time.nanoTime();
    if (last == null || now - last >= QUIET) {
      warned = now;
      Log.warning(name + ": the store does not answer: " + why + "; requests " + instead());
    }
    refuseAgain();
  }

  private String instead() {
    return settings.whenDown() == WhenDown.WAIT ? "wait" : "are refused";
  }

  private void refuseAgain() {
    String since = down;
    if (since != null && settings.whenDown() == WhenDown.FAIL) {
      inlet.refuse("the store of " + name + " does not answer: " + reason + ", since " + since);
    }
  }

  private void isUp() {
    if (down != null) {
      down = null;
      warned = null;
      Log.info(name + ": the store answers again");
    }
  }

  static String reason(@Nullable Throwable failure) {
    Throwable cause = failure;
    if (cause == null) {
      return "no reply";
    }
    while (cause.getCause() != null && cause instanceof CompletionException) {
      cause = cause.getCause();
    }
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }
}
