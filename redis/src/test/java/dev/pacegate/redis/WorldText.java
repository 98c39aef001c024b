package dev.pacegate.redis;

import static dev.pacegate.redis.WorldText.Kind.AHEAD;
import static dev.pacegate.redis.WorldText.Kind.EPOCH;
import static dev.pacegate.redis.WorldText.Kind.LEASE;
import static dev.pacegate.redis.WorldText.Kind.LOCAL;
import static dev.pacegate.redis.WorldText.Kind.NUMBER;
import static dev.pacegate.redis.WorldText.Kind.OFFSET;
import static dev.pacegate.redis.WorldText.Kind.OF_STORE;
import static dev.pacegate.redis.WorldText.Kind.REVISION;
import static dev.pacegate.redis.WorldText.Kind.UNSEEN;

import dev.pacegate.limit.Cost;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The text of a world, the same for two in which the same can happen from now on: instants are
 * distances from now, names are numbered in the order in which they are met, and what is long past
 * is only that. It reads private fields, as nothing but this needs them.
 */
final class WorldText {

  /** What a field means. */
  enum Kind {
    /** A local instant. */
    LOCAL,
    /** A local instant; one that has come is as good as another. */
    AHEAD,
    /** An instant of the store's clock. */
    OF_STORE,
    /** The number of a request or a lease, compared for equality only, as is what follows. */
    NUMBER,
    EPOCH,
    REVISION,
    /** By how much the clients' clock was ahead of the store's. */
    OFFSET,
    /** The name of a lease. */
    LEASE,
    /** Makes no difference. */
    UNSEEN
  }

  private static final Map<String, Kind> KINDS =
      Map.ofEntries(
          Map.entry("LeaseBook.terms", UNSEEN), // the same in all worlds
          Map.entry("LeaseBook.epoch", EPOCH),
          Map.entry("LeaseBook.revision", REVISION),
          Map.entry("LeaseBook.revisionInStore", REVISION),
          Map.entry("LeaseBook.number", NUMBER),
          Map.entry("Holding.term", UNSEEN),
          Map.entry("Holding.open", LOCAL),
          Map.entry("Holding.unleased", NUMBER),
          Map.entry("LeaseBook.comeBackAt", LOCAL),
          Map.entry("Absence.quietUntil", AHEAD),
          Map.entry("RecentUse.last", UNSEEN), // few clients are no crowd
          Map.entry("Holding.hadMore", UNSEEN),
          Map.entry("LeaseBook.stoodAt", UNSEEN), // no machine is suspended
          Map.entry("StoreClock.stood", UNSEEN),
          Map.entry("LeaseBook.missingSince", LOCAL),
          Map.entry("LeaseBook.retryAt", AHEAD),
          Map.entry("LeaseBook.closedUntil", AHEAD),
          Map.entry("Draw.lease", UNSEEN), // its name follows
          Map.entry("Lease.name", LEASE),
          Map.entry("Lease.from", AHEAD),
          Map.entry("Lease.until", AHEAD),
          Map.entry("Lease.endedAt", OF_STORE),
          Map.entry("Lease.endsSince", LOCAL),
          Map.entry("Lease.endsUntil", LOCAL),
          Map.entry("Lease.told", LOCAL),
          Map.entry("RecentUse.beganAt", LOCAL),
          Map.entry("StoreClock.epoch", EPOCH),
          Map.entry("StoreClock.shown", OF_STORE),
          Map.entry("StoreClock.sent", LOCAL),
          Map.entry("StoreClock.received", UNSEEN), // used as soon as it is set
          Map.entry("StoreClock.standsSince", LOCAL),
          Map.entry("StoreClock.judgedBy", OF_STORE),
          Map.entry("StoreClock.judgedSince", LOCAL),
          Map.entry("Request.number", NUMBER),
          Map.entry("Request.epoch", EPOCH),
          Map.entry("Request.revision", REVISION),
          Map.entry("Report.lease", LEASE),
          Map.entry("Report.instant", OF_STORE),
          Map.entry("Reply.clock", OF_STORE),
          Map.entry("Reply.epoch", EPOCH),
          Map.entry("Reply.revision", REVISION),
          Map.entry("Reply.offsets", OFFSET),
          Map.entry("Reply.reason", UNSEEN),
          Map.entry("Grant.from", OF_STORE),
          Map.entry("Grant.until", OF_STORE));

  /** A field, and what it means; null for what is as it is. */
  record Part(Field field, @Nullable Kind kind) {
    @Nullable Object of(Object object) {
      try {
        return field.get(object);
      } catch (IllegalAccessException e) {
        throw new LinkageError("a field that cannot be read", e);
      }
    }

    void set(Object object, @Nullable Object value) {
      try {
        field.set(object, value);
      } catch (IllegalAccessException e) {
        throw new LinkageError("a field that cannot be set", e);
      }
    }
  }

  private static final Map<Class<?>, List<Part>> PARTS = new ConcurrentHashMap<>();

  private final StringBuilder text = new StringBuilder(1000);
  private final Map<String, Integer> names = new HashMap<>();
  private final long now;
  private final long wall;
  private final long ahead; // by how much the clients' clock is ahead of the store's
  private final long longAgo; // in microseconds: longer than any span that matters
  private final long over; // what is that far back is over, though the store's clock may step back
  private String owner = "";

  private WorldText(World world) {
    this.now = world.now;
    this.wall = world.store.wall;
    this.ahead = world.now / 1000 - wall;
    this.longAgo = 2 * world.setting.fence() + world.mayStepBack();
    this.over = -world.mayStepBack();
  }

  static String of(World world) {
    var text = new WorldText(world);
    text.world(world);
    text.store(world, world.store);
    if (world.mayFailOver() || world.split) {
      text.store(world, world.replica);
    }
    return text.text.toString();
  }

  private void world(World world) {
    plain(world.isAlone)
        .plain(world.faults)
        .plain(world.slow)
        .plain(world.generation)
        .plain(world.stepped)
        .plain(world.follows ? "follows" : "")
        .plain(world.split ? "split" : "");
    for (World.Client client : world.clients) {
      owner = client.name + ":";
      name(client.name)
          .plain(client == world.lastActed ? "acted" : "")
          .plain(client.offset == null ? "" : client.offset - ahead)
          .plain(client.paused ? "paused" : "")
          .plain(client.dawdles ? "dawdles" : "")
          .plain(client.stays ? "stays" : "")
          .plain(client.reply != null && client.moved ? "moved" : "")
          .plain(client.startedLast == world.now ? "started" : "");
      object(client.book);
      object(client.call);
      plain(client.call == null ? 0 : age(client.sent));
      object(client.reply);
      plain(client.reply != null && client.carriedOut == world.now);
      for (World.Served each : client.open) {
        plain(age(each.start));
      }
    }
    text.append('\n');
    for (World.Late late : world.late) {
      owner = late.client() + ":";
      object(late.call());
    }
    owner = "";
    text.append('\n');
    world.served.stream()
        .filter(world::counts)
        .map(each -> each.key + (each.open ? age(each.start) + "o" : "" + age(each.end)))
        .sorted()
        .forEach(this::plain);
    text.append('\n');
  }

  private long age(long instant) {
    return Math.max(-longAgo, (instant - now) / 1000);
  }

  private void store(World world, StoreTwin store) {
    plain(store.run).plain(store.replication).plain(store.earlier).plain(store.wall - wall);
    store.records().forEach((name, record) -> record(world, store, name, record));
  }

  private void record(World world, StoreTwin store, String limit, StoredLimit r) {
    plain(limit)
        .plain(r.replicas)
        .plain(r.run)
        .plain(r.replication)
        .plain(r.durable)
        .plain(r.evicted - store.evicted)
        .epoch(Long.toString(r.began));
    plain(allKnow(world, limit, r.began) ? 0 : Math.max(-longAgo, r.began - store.wall));
    plain(Math.max(-longAgo, r.clock - store.wall)).plain(r.before);
    long clock = Math.max(r.clock, store.wall);
    plain(left(r.beforeUntil - clock)).plain(left(r.closed - clock));
    plain(Math.max(-longAgo, r.emptied - clock));
    r.offsets.forEach(offset -> plain(offset - ahead));
    text.append(';');
    r.states.forEach((key, state) -> state(key, r, state, store.wall));
    text.append('\n');
  }

  private void state(String key, StoredLimit r, StoredLimit.State state, long storeWall) {
    long clock = Math.max(state.clock, storeWall);
    if (state.isOwn) {
      plain(left(r.closedUntil(state) - clock));
      plain(state.before).plain(left(state.beforeUntil - state.clock));
    }
    plain(key)
        .epoch(Long.toString(state.began))
        .name("r" + state.law.revision())
        .plain(clock - storeWall);
    for (StoredLimit.Count count : state.counts) {
      plain(Math.max(over - 1, count.full - clock))
          .plain(count.full < clock + over ? 0 : count.part);
      count.runs.stream()
          .sorted(
              (a, b) ->
                  a.instant() == b.instant()
                      ? a.id().compareTo(b.id())
                      : Long.compare(a.instant(), b.instant()))
          .forEach(run -> run(run, clock));
    }
    for (StoredLimit.Place place : state.line) {
      name(place.client()).plain(place.want()).plain(Math.max(over - 1, place.over() - clock));
    }
  }

  private void run(StoredLimit.Run run, long clock) {
    if (!run.id().isEmpty()) {
      lease(run.id());
    }
    plain(run.units()).plain(left(run.from() - clock)).plain(run.instant() - clock);
  }

  // Then it matters no more when the epoch began, if nothing more can go wrong.
  private static boolean allKnow(World world, String limit, long began) {
    return world.faults == world.setting.faults()
        && began <= world.store.wall
        && Arrays.stream(world.clients)
            .filter(c -> c.limit.equals(limit))
            .allMatch(c -> Long.toString(began).equals(get("epoch", c.book)));
  }

  private long left(long span) {
    return Math.max(over, span);
  }

  private void lease(String id) {
    int dot = id.indexOf('.');
    name(dot < 0 ? id : id.substring(0, dot)).plain(dot < 0 ? "" : id.substring(dot));
  }

  private WorldText name(String name) {
    text.append('#').append(names.computeIfAbsent(name, n -> names.size()));
    return this;
  }

  // One that begins at the same instant has the same name.
  private WorldText epoch(String epoch) {
    long ahead = epoch.isEmpty() ? -1 : Long.parseLong(epoch) - wall;
    return name("e" + epoch).plain(ahead < over ? "" : ahead);
  }

  private WorldText plain(Object value) {
    text.append(' ').append(value);
    return this;
  }

  private void object(@Nullable Object object) {
    if (object == null) {
      plain("-");
      return;
    }
    text.append('(');
    for (Part part : parts(object)) {
      if (part.kind != UNSEEN && !isStale(object, part)) {
        value(part.kind, part.of(object));
      } else if (object instanceof Holding.Draw draw) {
        lease(owner + draw.lease.name);
      }
    }
    text.append(')');
  }

  private static boolean isStale(Object object, Part part) {
    if (object instanceof RecentUse recent && part.field.getName().equals("beganAt")) {
      return !recent.wereUsed();
    }
    return object instanceof Lease lease
        && switch (part.field.getName()) {
          case "endedAt", "endsSince", "endsUntil" -> Objects.equals(0L, get("ended", lease));
          case "told" -> lease.open == 0;
          case "from", "until" -> lease.unused == 0;
          default -> false;
        };
  }

  private void value(@Nullable Kind kind, @Nullable Object value) {
    if (value instanceof Iterable<?> values) {
      text.append('[');
      values.forEach(each -> value(kind, each));
      text.append(']');
    } else if (value instanceof Map<?, ?> map) {
      map.forEach(
          (key, each) -> {
            value(kind, key);
            value(null, each);
          });
    } else if (value != null && !isSimple(value)) {
      object(value);
    } else if (value == null || kind == null) {
      plain("" + value);
    } else {
      simple(kind, value);
    }
  }

  private static boolean isSimple(Object value) {
    return value instanceof Number
        || value instanceof String
        || value instanceof Boolean
        || value instanceof Enum<?>
        || value instanceof Cost;
  }

  private void simple(Kind kind, Object value) {
    switch (kind) {
      case LOCAL -> plain(age((Long) value));
      case AHEAD -> plain(Math.max(0, (Long) value - now));
      case OF_STORE -> plain(Math.max(-longAgo, (Long) value - wall));
      case LEASE -> lease(owner + value);
      case NUMBER -> name(owner + value);
      case EPOCH -> epoch((String) value);
      case REVISION -> name("r" + value);
      case OFFSET -> plain((Long) value - ahead);
      case UNSEEN -> {}
    }
  }

  private static @Nullable Object get(String name, Object object) {
    return part(name, object).of(object);
  }

  static Part part(String name, Object object) {
    for (Part part : parts(object)) {
      if (part.field.getName().equals(name)) {
        return part;
      }
    }
    throw new IllegalArgumentException("no field " + name);
  }

  /** Returns the fields of the class of an object, made accessible. */
  static List<Part> parts(Object object) {
    return PARTS.computeIfAbsent(object.getClass(), WorldText::parts);
  }

  private static List<Part> parts(Class<?> type) {
    return Arrays.stream(type.getDeclaredFields())
        .filter(field -> !Modifier.isStatic(field.getModifiers()))
        .peek(field -> field.setAccessible(true))
        .map(field -> new Part(field, KINDS.get(type.getSimpleName() + "." + field.getName())))
        .toList();
  }
}
