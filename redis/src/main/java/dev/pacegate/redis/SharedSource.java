package dev.pacegate.redis;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.spi.FedMeter;
import dev.pacegate.limit.spi.MeterSource;
import dev.pacegate.limit.spi.NewsSink;
import dev.pacegate.time.Time;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Makes the meters of the limit of one name, or of its keys. Thread-safe. */
final class SharedSource implements MeterSource {

  private static final SecureRandom RANDOM = new SecureRandom();

  private final String name;
  private final @Nullable KeyHash hash; // null if the limit has no keys
  private final Settings settings;
  private final ScriptRunner store;
  private final Time time;
  private final LimitLog log;
  private final String client = random();
  private final AtomicLong clients = new AtomicLong();
  private final Map<NewsSink, SharedLimit> limits = new ConcurrentHashMap<>();
  private final Map<NewsSink, ChangeRequest> changing = new ConcurrentHashMap<>();
  private final AtomicReference<LeaseBook.@Nullable Known> known = new AtomicReference<>();
  private final AtomicReference<@Nullable Terms> current = new AtomicReference<>(); // of all keys

  SharedSource(
      String name, @Nullable KeyHash hash, Settings settings, ScriptRunner store, Time time) {
    this.name = name;
    this.hash = hash;
    this.settings = settings;
    this.store = store;
    this.time = time;
    this.log = new LimitLog(name, settings.whenDown(), time);
  }

  /** Returns where all limits of this source tell of their troubles. */
  LimitLog log() {
    return log;
  }

  @Override
  public void check(Limit limit) {
    terms(limit);
  }

  private Terms terms(Limit limit) {
    return Terms.of(limit, settings.partition());
  }

  @Override
  public FedMeter newMeter(MeterContext context) {
    checkKey(context);
    Terms terms = terms(context.limit());
    current.compareAndSet(null, terms);
    var limit =
        new SharedLimit(
            address(context),
            client + Long.toString(clients.getAndIncrement(), Character.MAX_RADIX),
            settings,
            store,
            time,
            context.sink(),
            context.all().orElse(null),
            this,
            new LeaseBook(terms, known.get()));
    limits.putIfAbsent(context.sink(), limit); // else this meter goes on with that one
    return new SharedMeter(terms, limit, context.now());
  }

  private void checkKey(MeterContext context) {
    if (context.key().isPresent() != (hash != null)) {
      throw new IllegalArgumentException(
          hash == null
              ? "the limit named " + name + " has no keys: share that of keys by keyed(…)"
              : "the limit named " + name + " is that of keys: take it for a KeyedLimiter");
    }
  }

  private Address address(MeterContext context) {
    if (hash == null) {
      return Address.of(name);
    }
    return new Address(name, hash.of(name, context.key().orElseThrow()), hash.check(name));
  }

  @Override
  public boolean takesChange(Limit next, NewsSink sink) {
    Terms from = current.get();
    SharedLimit of = limits.get(sink);
    if (from == null && hash == null) {
      return false;
    }
    Address address =
        of != null ? of.address() : new Address(name, null, hash == null ? "" : hash.check(name));
    Terms to = terms(next);
    var change =
        new ChangeRequest(
            settings.label(),
            address,
            from == null ? to : from,
            to,
            reply -> changed(reply, sink, of),
            store,
            time);
    ChangeRequest earlier = changing.put(sink, change);
    if (earlier != null) {
      earlier.drop();
    }
    change.send();
    return true;
  }

  // What its limits tell

  // Known at once: a server that has forgotten all must not be told the limit before it next.
  private void changed(Reply reply, NewsSink sink, @Nullable SharedLimit of) {
    if (of == null) {
      follow(reply.limit(), reply.own(), sink, null);
    } else {
      of.follow(reply);
    }
  }

  /** A limit is used no more. */
  void retired(NewsSink sink, SharedLimit limit) {
    limits.remove(sink, limit);
    changing.remove(sink);
  }

  /** What one key knows of the store's clock and limit spares the next key a call. */
  void learned(LeaseBook.Known now) {
    if (hash != null) {
      known.set(now);
    }
  }

  /** Returns the limit of all keys; {@code terms} if there is none yet. */
  Terms ofAll(Terms terms) {
    Terms known = current.get();
    return known == null ? terms : known;
  }

  /** The store has another limit in force. Returns whether that is news. */
  boolean follow(String limit, boolean own, NewsSink sink, @Nullable NewsSink all) {
    Terms next = terms(Limits.parse(limit));
    boolean isNews = !own && !isSame(current.getAndSet(next), next);
    if (all != null && isNews) {
      all.change(next.limit());
    }
    sink.change(next.limit());
    return isNews;
  }

  private static boolean isSame(@Nullable Terms before, Terms next) {
    return before != null && before.limit().equals(next.limit());
  }

  /** The connection was closed: what waits is refused, as nothing would end its wait. */
  void refuse(String why) {
    limits.forEach(
        (sink, limit) -> {
          sink.refuse(why);
          limit.stop();
        });
  }

  private static String random() {
    byte[] bytes = new byte[8];
    RANDOM.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
