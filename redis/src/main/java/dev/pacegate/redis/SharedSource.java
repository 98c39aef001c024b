package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;

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
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Makes the meters of the limit of one name, or of its keys. Thread-safe. */
final class SharedSource implements MeterSource, KeysLimit {

  private static final SecureRandom RANDOM = new SecureRandom();

  private final String name;
  private final @Nullable KeyHash hash; // null if the limit has no keys
  private final Tags tags; // one if it has no keys
  private final Settings settings;
  private final ScriptRunner store;
  private final Time time;
  private final LimitLog log;
  private final String client = random();
  private final AtomicLong clients = new AtomicLong();
  private final Map<NewsSink, SharedLimit> limits = new ConcurrentHashMap<>();
  private final AtomicReference<@Nullable NewsSink> allKeys = new AtomicReference<>();
  private final Map<NewsSink, ChangeRequest> changing = new ConcurrentHashMap<>();
  private final AtomicReferenceArray<LeaseBook.@Nullable Known> known; // of each tag
  private final AtomicReference<@Nullable Terms> current = new AtomicReference<>(); // of all keys
  private final @Nullable Handshake handshake; // null if the keys cannot be spread
  private final LimitPropagation propagation;
  private volatile @Nullable String over; // why; null while there is a connection

  /** Of a limit whose keys are not spread, or that has none. */
  SharedSource(
      String name, @Nullable KeyHash hash, Settings settings, ScriptRunner store, Time time) {
    this(name, hash, null, settings, store, time);
  }

  /**
   * Creates a source.
   *
   * @param tags over which the keys are spread; null if no process can spread them
   */
  SharedSource(
      String name,
      @Nullable KeyHash hash,
      @Nullable Tags tags,
      Settings settings,
      ScriptRunner store,
      Time time) {
    this.name = name;
    this.hash = hash;
    this.tags = tags == null ? new Tags(name, 1) : tags;
    this.known = new AtomicReferenceArray<>(this.tags.count());
    this.settings = settings;
    this.time = time;
    this.log = new LimitLog(name, this.tags.count(), settings.whenDown(), time);
    this.handshake =
        tags == null || hash == null
            ? null
            : new Handshake(this, tags.count(), client + "-", settings, store, time);
    this.store = handshake == null ? store : handshake;
    this.propagation =
        new LimitPropagation(this, this.tags.count(), settings.label(), this.store, time);
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
    context.all().ifPresent(allKeys::set);
    Address address = address(context);
    var limit =
        new SharedLimit(
            address,
            client + Long.toString(clients.getAndIncrement(), Character.MAX_RADIX),
            settings,
            store,
            time,
            context.sink(),
            context.all().orElse(null),
            this,
            new LeaseBook(terms, known.get(address.tag())));
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
    String key = hash.of(name, context.key().orElseThrow());
    int tag = tags.of(key);
    return new Address(name, tag, tags.record(tag), key, tags.check(hash.check(name)));
  }

  @Override
  public Address address(int tag) {
    return hash == null ? Address.of(name) : Address.of(name, tags, tag, hash.check(name));
  }

  @Override
  public boolean takesChange(Limit next, NewsSink sink) {
    Terms from = current.get();
    SharedLimit of = limits.get(sink);
    if (from == null && hash == null) {
      return false;
    }
    Address address = of != null ? of.address() : address(0);
    Terms to = terms(next);
    current.compareAndSet(null, to);
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
      follow(reply, address(0), sink, null);
      propagation.toAll();
    } else {
      of.follow(reply);
    }
  }

  /** A limit is used no more. */
  void retired(NewsSink sink, SharedLimit limit) {
    limits.remove(sink, limit);
    changing.remove(sink);
    propagation.drop(limit.address(), sink);
  }

  /** What one key knows of the store's clock and limit spares the next key of its tag a call. */
  void learned(int tag, LeaseBook.Known now) {
    if (hash != null) {
      known.set(tag, now);
    }
  }

  /** A limit had an answer, or none for that reason. */
  void answered(Address address, @Nullable Reply reply, @Nullable Throwable failure) {
    if (handshake != null) {
      handshake.answered(address.tag(), reply, failure);
    }
  }

  @Override
  public void followFirst(Reply reply) {
    NewsSink all = allKeys.get();
    try {
      if (all != null && follow(reply, address(0), all, null)) {
        Log.info(name + ": the limit is " + reply.limit());
      }
    } catch (IllegalArgumentException e) {
      // This process cannot use it: each key says so when it is told.
    }
  }

  @Override
  public Terms terms(String limit) {
    return terms(Limits.parse(limit));
  }

  /** Returns the limit of all keys; {@code terms} if there is none yet. */
  Terms ofAll(Terms terms) {
    Terms known = current.get();
    return known == null ? terms : known;
  }

  @Override
  public Terms known() {
    return requireNonNull(current.get());
  }

  /** The store has another limit in force. Returns whether that is news. */
  boolean follow(Reply reply, Address address, NewsSink sink, @Nullable NewsSink all) {
    Terms next = terms(reply.limit());
    if (address.tag() > 0 && !reply.own() && !isSame(current.get(), next)) {
      propagation.goOnBehind(address, sink, next);
      if (!limits.containsKey(sink)) { // the reply came late, and nothing else would drop it
        propagation.drop(address, sink);
      }
      return false;
    }
    boolean isNews = !reply.own() && !isSame(current.getAndSet(next), next);
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
    over = why;
    limits.forEach(
        (sink, limit) -> {
          sink.refuse(why);
          limit.stop();
        });
  }

  /** Returns why there is no connection any more; null if there is one. */
  @Nullable String over() {
    return over;
  }

  private static String random() {
    byte[] bytes = new byte[8];
    RANDOM.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
