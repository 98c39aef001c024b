package dev.pacegate.redis;

import dev.pacegate.limit.spi.NewsSink;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Gives tags the limit that the first has, until they have it: all after a change, and one that is
 * met with another limit, as the process that changed it may be gone. Meanwhile a key of that tag
 * goes on under the limit that the tag has. Thread-safe.
 */
final class LimitPropagation {

  private static final long FIRST_PAUSE = Duration.ofMillis(100).toNanos();
  private static final long LAST_PAUSE = Duration.ofSeconds(2).toNanos();

  private final KeysLimit limit;
  private final String who;
  private final ScriptRunner store;
  private final Time time;
  private final AtomicIntegerArray asked; // of each tag: once it is under way, twice if once more
  private final Set<Integer> failing = ConcurrentHashMap.newKeySet(); // tags
  private final Map<Address, NewsSink> behind = new ConcurrentHashMap<>(); // keys

  /**
   * Creates one for so many tags.
   *
   * @param who changes limits, for those who look at them
   */
  LimitPropagation(KeysLimit limit, int tags, String who, ScriptRunner store, Time time) {
    this.limit = limit;
    this.who = who;
    this.store = store;
    this.time = time;
    this.asked = new AtomicIntegerArray(tags);
  }

  /** The limit of the first tag was changed. */
  void toAll() {
    for (int tag = 1; tag < asked.length(); tag++) {
      to(tag);
    }
  }

  /**
   * A key was told the limit of its tag, which is not that of the first. It goes on under that one,
   * and has the other once its tag has it, though it is used no more, unless it is dropped before.
   */
  void goOnBehind(Address key, NewsSink sink, Terms ofTag) {
    sink.change(ofTag.limit());
    behind.put(key, sink);
    to(key.tag());
  }

  /** A key was dropped. */
  void drop(Address key, NewsSink sink) {
    behind.remove(key, sink);
  }

  private void to(int tag) {
    if (asked.getAndUpdate(tag, times -> Math.min(times + 1, 2)) == 0) {
      copy(tag, FIRST_PAUSE);
    }
  }

  private void copy(int tag, long pause) {
    asked.set(tag, 1);
    var unused =
        new LimitCopy(tag, limit.known(), limit::terms, this::change)
            .carryOut()
            .thenAccept(first -> copied(tag, first))
            .whenComplete(
                (done, failure) -> {
                  if (failure != null) {
                    failed(tag, failure, pause);
                  } else if (!asked.compareAndSet(tag, 1, 0)) {
                    copy(tag, FIRST_PAUSE);
                  }
                });
  }

  private CompletableFuture<Reply> change(int tag, String replaced, Terms until, Terms next) {
    Address address = limit.address(tag);
    return ReplyFuture.of(
        store,
        Script.CHANGE,
        address,
        ScriptArguments.change(replaced, address.check(), who, "", until, next),
        why -> tellOnce(tag, why));
  }

  private void copied(int tag, Reply first) {
    limit.followFirst(first);
    failing.remove(tag);
    behind.forEach(
        (key, sink) -> {
          if (key.tag() == tag && behind.remove(key, sink)) {
            catchUp(sink);
          }
        });
  }

  private void catchUp(NewsSink sink) {
    try {
      sink.change(limit.known().limit());
    } catch (Throwable e) { // of this key, which is told by its next call; others wait to be told
      Log.warning("a key was not told its limit: " + e);
    }
  }

  private void failed(int tag, Throwable failure, long pause) {
    if (!store.isClosed()) {
      tellOnce(tag, failure);
      time.at(time.nanoTime() + pause, () -> copy(tag, Math.min(2 * pause, LAST_PAUSE)));
    }
  }

  // Of many tags at once that is one line.
  private void tellOnce(int tag, Throwable failure) {
    boolean isFirst = failing.isEmpty();
    if (failing.add(tag) && isFirst) {
      Throwable cause = Causes.cause(failure);
      Log.warning(
          limit.address(tag).name()
              + ": a part of the keys has another limit than the rest, and cannot be given that yet:"
              + " the store "
              + (cause instanceof IllegalArgumentException
                  ? "has a limit that this process cannot use: " + cause.getMessage()
                  : Causes.ofCall(failure)));
    }
  }
}
