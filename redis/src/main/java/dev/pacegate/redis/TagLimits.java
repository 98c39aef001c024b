package dev.pacegate.redis;

import dev.pacegate.time.Time;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
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
  private final Store store;
  private final Time time;
  private final Greeting greeting;
  private final AtomicReferenceArray<@Nullable String> epochs; // as told last
  private final Map<Integer, Alignment> underWay = new ConcurrentHashMap<>();

  TagLimits(
      SharedSource source,
      Tags tags,
      String secret,
      String client,
      Settings settings,
      Store store,
      Time time) {
    this.source = source;
    this.tags = tags;
    this.secret = secret;
    this.who = settings.label();
    this.store = store;
    this.time = time;
    this.epochs = new AtomicReferenceArray<>(tags.count());
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

  Greeting greeting() {
    return greeting;
  }

  /**
   * A tag has answered, or not. If it has lost its record, or is that of other processes, the
   * greeting is said again: processes with another number of tags may have come meanwhile.
   */
  void answered(int tag, @Nullable Reply reply, @Nullable Throwable failure) {
    if (reply == null) {
      if (Reply.isOfOtherTags(failure)) {
        greeting.renew();
      }
      return;
    }
    String before = epochs.getAndSet(tag, reply.epoch());
    if (!reply.epoch().equals(before) && (before != null || reply.hasLost(""))) {
      greeting.renew();
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
