package dev.pacegate.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What goes before the calls of a limit of keys: the records of the first two tags must agree with
 * this process on how many tags there are. Two, as one may be lost: then the other refuses a
 * process that spreads the keys otherwise.
 *
 * <p>It looks at the second before it writes the first, so a process that is refused leaves nothing
 * there. Thread-safe; what it is given is called outside its lock.
 */
final class Greeting {

  private static final Request NOTHING = new Request(0, List.of(), "", "", "", List.of());

  private record Waiting(Consumer<Throwable> late, Consumer<@Nullable Throwable> then) {}

  private final Address first;
  private final Address second;
  private final String client;
  private final Settings settings;
  private final ScriptRunner store;
  private final Function<@Nullable String, Terms> law;
  private final Consumer<Reply> told;
  private final List<Waiting> waiting = new ArrayList<>(); // guarded by this
  private boolean agreed; // guarded by this, as the next two
  private boolean underWay;
  private boolean renewed; // while it was under way

  /**
   * Creates a greeting that has yet to be said.
   *
   * @param law returns the limit of all keys for a record that begins: by the text that another
   *     record has, or with null as this process knows it
   * @param told gets the answer of the first tag, which tells the limit of all keys
   */
  Greeting(
      Address first,
      Address second,
      String client,
      Settings settings,
      ScriptRunner store,
      Function<@Nullable String, Terms> law,
      Consumer<Reply> told) {
    this.first = first;
    this.second = second;
    this.client = client;
    this.settings = settings;
    this.store = store;
    this.law = law;
    this.told = told;
  }

  /**
   * Calls {@code then} once the records agree, with null; with the reason if they do not.
   *
   * @param late is told whenever there has been no answer for long
   */
  void before(Consumer<Throwable> late, Consumer<@Nullable Throwable> then) {
    boolean isOver;
    boolean begins;
    synchronized (this) {
      isOver = agreed;
      begins = !agreed && !underWay;
      underWay |= begins;
      if (!isOver) {
        waiting.add(new Waiting(late, then));
      }
    }
    if (isOver) {
      then.accept(null);
    } else if (begins) {
      look();
    }
  }

  /** A record may have been lost since, or said something else: it is said again. */
  synchronized void renew() {
    agreed = false;
    renewed = underWay;
  }

  private void look() {
    store.run(
        Script.CONTROL,
        second,
        0,
        Callers.of(
            () -> List.of(second.check(), settings.label(), "", "look", ""),
            this::late,
            (reply, failure) -> {
              if (reply == null && !Reply.isOfUnknown(failure)) {
                end(failure);
              } else if (!first.isSpread()) {
                end(null); // the first is its only one, and refuses by itself
              } else {
                greet(first, reply == null ? null : reply.limit(), of -> greetSecond(of, reply));
              }
            }));
  }

  private void late(Throwable why) {
    List<Waiting> all;
    synchronized (this) {
      all = List.copyOf(waiting);
    }
    all.forEach(each -> each.late().accept(why));
  }

  private void greetSecond(Reply of, @Nullable Reply seen) {
    told.accept(of);
    if (seen == null) {
      greet(second, of.limit(), begun -> end(null));
    } else {
      end(null);
    }
  }

  private void greet(Address address, @Nullable String limit, Consumer<Reply> then) {
    store.run(
        Script.ACQUIRE,
        address,
        0,
        Callers.of(
            () ->
                ScriptArguments.acquire(
                    client,
                    NOTHING,
                    law.apply(limit),
                    settings.fresh(),
                    settings.durable(),
                    address.check(),
                    "",
                    null),
            this::late,
            (reply, failure) -> {
              if (reply == null) {
                end(failure);
                return;
              }
              try {
                then.accept(reply);
              } catch (RuntimeException e) { // such as of a limit that this process cannot use
                end(e);
              }
            }));
  }

  private void end(@Nullable Throwable failure) {
    List<Waiting> told;
    synchronized (this) {
      if (failure == null && renewed) {
        renewed = false;
        told = List.of();
      } else {
        agreed = failure == null;
        underWay = false;
        renewed = false;
        told = List.copyOf(waiting);
        waiting.clear();
      }
    }
    if (told.isEmpty()) {
      look();
    } else {
      told.forEach(each -> each.then().accept(failure));
    }
  }
}
