package dev.pacegate.redis;

import dev.pacegate.time.Time;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What joins the tags of a limit of keys in this process: they have as many tags as those of other
 * processes, and one limit. Thread-safe.
 */
final class TagLimits {

  private final SharedSource source;
  private final Tags tags;
  private final String secret;
  private final String who;
  private final ScriptRunner store;
  private final Time time;
  private final Greeting greeting;
  private final AtomicReferenceArray<@Nullable String> epochs; // as told last
  private final AtomicIntegerArray losses; // how often a tag has told another epoch
  private final AtomicInteger refusals = new AtomicInteger(); // by any tag
  private final AtomicIntegerArray greeted; // at how many losses and refusals; less one
  private final Map<Integer, Alignment> underWay = new ConcurrentHashMap<>();

  TagLimits(
      SharedSource source,
      Tags tags,
      String secret,
      String client,
      Settings settings,
      ScriptRunner store,
      Time time) {
    this.source = source;
    this.tags = tags;
    this.secret = secret;
    this.who = settings.label();
    this.store = store;
    this.time = time;
    this.epochs = new AtomicReferenceArray<>(tags.count());
    this.losses = new AtomicIntegerArray(tags.count());
    this.greeted = new AtomicIntegerArray(tags.count());
    this.greeting =
        new Greeting(of(0), of(1), client, settings, store, this::law, source::followFirst);
  }

  private Terms law(@Nullable String limit) {
    try {
      return limit == null ? source.ofAll() : source.terms(limit);
    } catch (IllegalArgumentException e) { // this process cannot use it
      return source.ofAll();
    }
  }

  private Address of(int tag) {
    return Address.of(source.name(), tags, tag, secret);
  }

  /**
   * Goes before each call for a tag: {@code then} is called with null once it may be made, or else
   * with the reason why it may not; {@code late} as a caller of the store is told.
   */
  void before(int tag, Consumer<Throwable> late, Consumer<@Nullable Throwable> then) {
    int now = 1 + losses.get(tag) + refusals.get();
    if (greeted.get(tag) == now) {
      then.accept(null);
      return;
    }
    greeting.before(
        late,
        refused -> {
          if (refused == null) {
            greeted.set(tag, now);
          }
          then.accept(refused);
        });
  }

  /**
   * A tag has answered, or not. If it has another epoch, processes with another number of tags may
   * have come before that: the greeting is said again before the tag is asked for more. If it is
   * that of such processes, before any tag is.
   */
  void answered(int tag, @Nullable Reply reply, @Nullable Throwable failure) {
    if (reply == null) {
      if (Reply.isOfOtherTags(failure)) {
        greeting.renew();
        refusals.incrementAndGet(); // after it: a call that sees this is to wait for that
      }
      return;
    }
    String before = epochs.getAndSet(tag, reply.epoch());
    if (!reply.epoch().equals(before) && (before != null || reply.hasLost(""))) {
      greeting.renew();
      losses.incrementAndGet(tag);
    }
  }

  /** Gives all tags the limit of the first. */
  void alignAll() {
    for (int tag = 1; tag < tags.count(); tag++) {
      align(tag, () -> {});
    }
  }

  /** Gives a tag the limit of the first, and runs something then. */
  void align(int tag, Runnable then) {
    var next =
        new Alignment(
            of(0),
            of(tag),
            who,
            store,
            time,
            source::ofAll,
            source::terms,
            source::followFirst,
            this::over);
    Alignment present =
        underWay.compute(
            tag,
            (key, known) -> {
              Alignment one = known == null ? next : known;
              one.ask(then);
              return one;
            });
    if (present == next) {
      next.begin();
    }
  }

  private void over(Alignment alignment) {
    boolean again =
        !store.isClosed()
            && underWay.computeIfPresent(
                    alignment.tag(), (key, one) -> one.isAskedAgain() ? one : null)
                != null;
    if (again) {
      alignment.begin();
    } else {
      alignment.tellAll();
    }
  }
}
