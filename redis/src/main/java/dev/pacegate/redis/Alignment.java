package dev.pacegate.redis;

import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives a tag the limit that the first tag has. It looks which limit the tag has, then which the
 * first has, and then replaces what it saw, until both are the same. Of two that do so at once, the
 * one that has seen the earlier limit of the first finds another in the place of what it saw: so
 * none undoes a later change, and no order of changes leaves the tags apart.
 *
 * <p>Thread-safe.
 */
final class Alignment {

  private static final long FIRST_PAUSE = Duration.ofMillis(100).toNanos();
  private static final long LAST_PAUSE = Duration.ofSeconds(2).toNanos();
  private static final int PROMPT = 3; // rounds without a pause: a change may come in between

  private final Address first;
  private final Address tag;
  private final String who;
  private final ScriptRunner store;
  private final Time time;
  private final Supplier<Terms> known;
  private final Function<String, Terms> terms;
  private final Consumer<Reply> told;
  private final Consumer<Alignment> over;
  private final List<Runnable> waiting = new ArrayList<>(0); // guarded by this
  private boolean askedAgain; // guarded by this; since it looks
  private volatile boolean warned;
  private long pause = FIRST_PAUSE; // used by one call after another, as the next

  private int rounds;

  /**
   * Creates an alignment.
   *
   * @param known the limit of all keys, as this process knows it
   * @param terms returns those of a limit
   * @param told gets the answer of the first tag, which tells the limit of all keys
   * @param over is told when the tag has that limit, or the store is closed
   */
  Alignment(
      Address first,
      Address tag,
      String who,
      ScriptRunner store,
      Time time,
      Supplier<Terms> known,
      Function<String, Terms> terms,
      Consumer<Reply> told,
      Consumer<Alignment> over) {
    this.first = first;
    this.tag = tag;
    this.who = who;
    this.store = store;
    this.time = time;
    this.known = known;
    this.terms = terms;
    this.told = told;
    this.over = over;
  }

  int tag() {
    return tag.tag();
  }

  /** Has something run when the tag has the limit that the first has from now on. */
  synchronized void ask(Runnable then) {
    waiting.add(then);
    askedAgain = true;
  }

  /** Returns whether that was asked for since it began. */
  synchronized boolean isAskedAgain() {
    return askedAgain;
  }

  void tellAll() {
    List<Runnable> all;
    synchronized (this) {
      all = List.copyOf(waiting);
    }
    all.forEach(Runnable::run);
  }

  void begin() {
    synchronized (this) {
      askedAgain = false;
    }
    Terms all = known.get();
    change(tag, "", all, all, this::lookAtFirst);
  }

  private void lookAtFirst(Reply of) {
    Terms all = known.get();
    change(first, "", all, all, ofFirst -> align(of, ofFirst));
  }

  private void align(Reply of, Reply ofFirst) {
    told.accept(ofFirst);
    if (of.limit().equals(ofFirst.limit())) {
      over.accept(this);
      return;
    }
    change(
        tag,
        of.revision(),
        terms.apply(of.limit()),
        terms.apply(ofFirst.limit()),
        changed -> {
          if (++rounds < PROMPT) {
            begin();
          } else {
            later();
          }
        });
  }

  private void change(
      Address address, String replaced, Terms until, Terms next, Consumer<Reply> then) {
    BiConsumer<@Nullable Reply, @Nullable Throwable> answered =
        (reply, failure) -> {
          try {
            if (reply != null) {
              then.accept(reply);
              return;
            }
          } catch (IllegalArgumentException e) { // this process cannot use one of the limits
            failed("has a limit that this process cannot use: " + e.getMessage());
            return;
          }
          failed(Causes.ofCall(failure));
        };
    store.run(
        Script.CHANGE,
        address,
        until.terms().size(),
        Callers.of(
            () -> ScriptArguments.change(replaced, address.check(), who, "", until, next),
            why -> tellOnce(Causes.ofCall(why)),
            answered));
  }

  private void failed(String why) {
    if (store.isClosed()) {
      over.accept(this);
      return;
    }
    tellOnce(why);
    later();
  }

  private void tellOnce(String why) {
    if (!warned) {
      warned = true;
      Log.warning(
          tag.name()
              + ": a part of the keys has another limit than the rest, and cannot be given that yet:"
              + " the store "
              + why);
    }
  }

  private void later() {
    time.at(time.nanoTime() + pause, this::begin);
    pause = Math.min(2 * pause, LAST_PAUSE);
  }
}
