package dev.pacegate.redis;

import static java.util.Map.entry;
import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Copies worlds, field by field; what cannot change is shared. */
final class Copies {

  private static final Reply NO_REPLY =
      new Reply(0, "", "", "", false, 0, "", 0, "", List.of(), 0, List.of(), List.of());

  /** What makes another of a class, with any content. */
  private static final Map<Class<?>, UnaryOperator<Object>> ANOTHER =
      Map.ofEntries(
          entry(World.class, world -> World.empty(((World) world).setting)),
          entry(
              World.Client.class,
              client -> new World.Client("", "", "", ((World.Client) client).book.terms())),
          entry(World.Served.class, served -> new World.Served("", 0)),
          entry(LeaseBook.class, book -> new LeaseBook(((LeaseBook) book).terms())),
          entry(Holdings.class, holdings -> new Holdings(List.of())),
          entry(Holding.class, holding -> new Holding(((Holding) holding).term(), 0)),
          entry(Holding.Draw.class, draw -> new Holding.Draw(((Holding.Draw) draw).lease, 0)),
          entry(Lease.class, lease -> new Lease("", 0, 0, 0, 0)),
          entry(RecentUse.class, recent -> new RecentUse()),
          entry(Absence.class, absence -> new Absence()),
          entry(StoreClock.class, clock -> StoreClock.of(NO_REPLY, 0, 0)));

  private final IdentityHashMap<Object, Object> made = new IdentityHashMap<>();

  private Copies() {}

  static World of(World world) {
    return (World) requireNonNull(new Copies().copy(world));
  }

  private @Nullable Object copy(@Nullable Object object) {
    if (object instanceof Collection<?> values) {
      return copyInto(object instanceof ArrayDeque<?> ? new ArrayDeque<>() : list(values), values);
    } else if (object instanceof TreeMap<?, ?> map) {
      return copyInto(sorted(map), map);
    } else if (object instanceof HashMap<?, ?> map) {
      return copyInto(new HashMap<>(), map);
    } else if (object instanceof World.Client[] clients) {
      return Arrays.stream(clients).map(this::copy).toArray(World.Client[]::new);
    } else if (object instanceof StoreTwin store) {
      return store.copy();
    }
    return object == null || cannotChange(object) ? object : copyOnce(object);
  }

  private static Collection<Object> list(Collection<?> values) {
    return new ArrayList<>(values.size());
  }

  private Collection<Object> copyInto(Collection<Object> copy, Collection<?> values) {
    values.forEach(each -> copy.add(requireNonNull(copy(each))));
    return copy;
  }

  @SuppressWarnings({"unchecked", "NonApiType"}) // it is given the keys of the same map
  private static Map<Object, Object> sorted(TreeMap<?, ?> map) {
    return new TreeMap<>(((TreeMap<Object, Object>) map).comparator());
  }

  private Map<Object, Object> copyInto(Map<Object, Object> copy, Map<?, ?> map) {
    map.forEach((key, value) -> copy.put(key, requireNonNull(copy(value))));
    return copy;
  }

  private static boolean cannotChange(Object object) {
    Class<?> type = object.getClass();
    return type.isRecord() || type.isEnum() || type.getPackage() != Copies.class.getPackage();
  }

  private Object copyOnce(Object object) {
    Object known = made.get(object);
    if (known != null) {
      return known;
    }
    Object copy = requireNonNull(ANOTHER.get(object.getClass())).apply(object);
    made.put(object, copy);
    for (WorldText.Part part : WorldText.parts(object)) {
      Object value = part.of(object);
      part.set(copy, part.field().getType().isPrimitive() ? value : copy(value));
    }
    return copy;
  }
}
