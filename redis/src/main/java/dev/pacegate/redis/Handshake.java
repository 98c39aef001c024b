package dev.pacegate.redis;

import dev.pacegate.time.Time;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Goes before the calls of a limit of keys, whatever they are for: the records of the first two
 * tags must agree with this process on how many tags there are. Two, as one may be lost: then the
 * other refuses a process that spreads the keys otherwise.
 *
 * <p>It looks at the second before it writes the first, so a process that is refused leaves nothing
 * there. A tag of another epoch is called only after another handshake. Thread-safe; nothing is
 * called under its lock.
 */
final class Handshake implements ScriptRunner {

  private static final Request NOTHING = new Request(0, List.of(), "", "", "", List.of());
  private static final CompletableFuture<Void> AGREED = CompletableFuture.allOf();

  private final KeysLimit limit;
  private final String client;
  private final Settings settings;
  private final ScriptRunner store;
  private final Time time;
  private final @Nullable String[] epochs; // of each tag; guarded by this, as all that follows
  private final int[] needed; // of each tag: the number of the handshake before its next call
  private int begun; // the number of the last
  private int agreed; // of the last that succeeded
  private @Nullable CompletableFuture<?> underWay;
  private @Nullable Throwable lateness; // of what is under way, and why

  /** Creates a handshake that has yet to begin, for so many tags. */
  Handshake(
      KeysLimit limit, int tags, String client, Settings settings, ScriptRunner store, Time time) {
    this.limit = limit;
    this.client = client;
    this.settings = settings;
    this.store = store;
    this.time = time;
    this.epochs = new String[tags];
    this.needed = new int[tags];
    Arrays.fill(needed, 1);
  }

  @Override
  public void run(Script script, Address address, int terms, Caller caller) {
    Awaiting.until(
        agreement(address.tag()),
        time,
        new WatchedCaller(caller, this::reason, failure -> failure),
        done -> store.run(script, address, terms, caller),
        refused -> caller.answered(null, refused));
  }

  private synchronized Throwable reason(Throwable late) {
    return lateness == null ? late : lateness;
  }

  @Override
  public boolean isClosed() {
    return store.isClosed();
  }

  /**
   * A tag has answered, or not. If it has another epoch, processes with another number of tags may
   * have come before that: it is called after another handshake. If it is that of such processes,
   * all are.
   */
  synchronized void answered(int tag, @Nullable Reply reply, @Nullable Throwable failure) {
    if (reply == null) {
      if (Reply.isOfOtherTags(failure)) {
        Arrays.fill(needed, begun + 1);
      }
    } else if (!reply.epoch().equals(epochs[tag])) {
      epochs[tag] = reply.epoch();
      needed[tag] = begun + 1;
    }
  }

  private CompletableFuture<Void> agreement(int tag) {
    var start = new CompletableFuture<Void>();
    CompletableFuture<?> present;
    synchronized (this) {
      if (needed[tag] <= agreed) {
        return AGREED;
      }
      if (underWay == null) {
        begun++;
        underWay =
            start
                .thenCompose(all -> look())
                .thenCompose(this::greet)
                .whenComplete((done, failure) -> end(failure == null));
      }
      present = underWay;
    }
    start.complete(null);
    return present.thenCompose(done -> agreement(tag));
  }

  private synchronized void end(boolean isAgreed) {
    agreed = isAgreed ? begun : agreed;
    underWay = null;
    lateness = null;
  }

  // At the second tag. Null if it has no record.
  private CompletableFuture<@Nullable Reply> look() {
    Address second = limit.address(1);
    List<String> look = List.of(second.check(), settings.label(), "", "look", "");
    return call(Script.CONTROL, second, look)
        .handle(
            (reply, failure) -> {
              if (failure != null && !Reply.isOfUnknown(failure)) {
                throw new CompletionException(failure);
              }
              return reply;
            });
  }

  // A first tag that is the only one refuses by itself.
  private CompletableFuture<?> greet(@Nullable Reply second) {
    if (needed.length == 1) {
      return AGREED;
    }
    return greet(0, second == null ? limit.known() : law(second))
        .thenCompose(
            first -> {
              limit.followFirst(first);
              return second == null
                  ? greet(1, law(first))
                  : CompletableFuture.completedFuture(first);
            });
  }

  private CompletableFuture<Reply> greet(int tag, Terms law) {
    Address address = limit.address(tag);
    List<String> greeting =
        ScriptArguments.acquire(
            client, NOTHING, law, settings.fresh(), settings.durable(), address.check(), "", null);
    return call(Script.ACQUIRE, address, greeting);
  }

  private CompletableFuture<Reply> call(Script script, Address address, List<String> arguments) {
    int number = number();
    return ReplyFuture.of(store, script, address, arguments, why -> late(number, why));
  }

  private synchronized int number() {
    return begun;
  }

  // The timer of a call may run once its handshake is over.
  private synchronized void late(int number, Throwable why) {
    lateness = underWay != null && begun == number ? why : lateness;
  }

  // The limit of another record, for one that begins.
  private Terms law(Reply other) {
    try {
      return limit.terms(other.limit());
    } catch (IllegalArgumentException e) { // this process cannot use it
      return limit.known();
    }
  }
}
