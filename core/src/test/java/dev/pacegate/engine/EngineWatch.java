package dev.pacegate.engine;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.pacegate.engine.keys.KeyLane;
import dev.pacegate.engine.keys.KeysLookup;
import dev.pacegate.history.Succession;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Knows the engines, and the lanes of keys, that were made since the last test.
 *
 * <p>The program has no hook for it. Its class files name their superclasses; before {@link Engine}
 * and {@link KeyLane} are loaded, those names are replaced by the ones of classes in between, whose
 * constructors report here. Nothing else is changed.
 */
public final class EngineWatch {

  /** A test that makes more than these is checked as far as they go. */
  private static final int MOST = 1_000;

  private static final List<EngineMonitor> engines = new ArrayList<>();
  private static final List<Lane> lanes = new ArrayList<>();
  private static boolean on = true;
  private static boolean begun;

  private EngineWatch() {}

  /** Between an engine and its superclass. */
  abstract static class Monitor extends EngineMonitor {
    Monitor(
        Options options, @Nullable Function<? super EngineMonitor, ? extends Succession> meters) {
      super(options, meters);
      keep(this, engines);
    }
  }

  /** Between the lane of a key and its superclass. */
  public static class OfKey extends Lane {

    private static final AtomicLong TOUCHES = new AtomicLong(); // of all lanes of keys

    /** As the lane's own. */
    public OfKey(Lane sibling, Pool own, Lane[] around) {
      super(sibling, own, around);
      keep(this, lanes);
    }

    @Override
    @Nullable Waiter first() {
      TOUCHES.incrementAndGet();
      return super.first();
    }

    @Override
    @Nullable Waiter watch() {
      TOUCHES.incrementAndGet();
      return super.watch();
    }

    @Override
    public int size() {
      TOUCHES.incrementAndGet();
      return super.size();
    }

    @Override
    boolean isReady() {
      TOUCHES.incrementAndGet();
      return super.isReady();
    }

    @Override
    long oldestWait(long now) {
      TOUCHES.incrementAndGet();
      return super.oldestWait(now);
    }
  }

  /** Returns how often anything was asked of the lanes of keys so far: a count of work. */
  static long touches() {
    return OfKey.TOUCHES.get();
  }

  /** Puts the classes in between, once. */
  static synchronized void begin() {
    if (begun) {
      return;
    }
    begun = true;
    define(MethodHandles.lookup(), "Engine", EngineMonitor.class, Monitor.class);
    define(KeysLookup.lookup(), "KeyLane", Lane.class, OfKey.class);
  }

  private static void define(
      MethodHandles.Lookup where, String type, Class<?> superclass, Class<?> between) {
    String from = constant(superclass);
    try (InputStream file = where.lookupClass().getResourceAsStream(type + ".class")) {
      String bytes = file == null ? "" : new String(file.readAllBytes(), ISO_8859_1);
      if (!bytes.contains(from)) {
        throw new AssertionError(type + " is no subclass of " + superclass);
      }
      bytes = bytes.replace(from, constant(between));
      where.defineClass(bytes.getBytes(ISO_8859_1));
    } catch (IOException | IllegalAccessException impossible) {
      throw new AssertionError(impossible);
    } catch (LinkageError early) {
      throw new AssertionError(type + " was loaded before EngineSession was told", early);
    }
  }

  /** Returns the name of a class as class files have it: a tag, two bytes of length, the text. */
  private static String constant(Class<?> type) {
    String name = type.getName().replace('.', '/');
    return "\u0001" + (char) (name.length() >> 8) + (char) (name.length() & 0xFF) + name;
  }

  private static <T> void keep(T made, List<T> all) {
    synchronized (EngineWatch.class) {
      if (on && all.size() < MOST) {
        all.add(made);
      }
    }
  }

  /** Forgets all, and keeps none until it is on again: what is kept is not collected. */
  static synchronized void off() {
    take();
    on = false;
  }

  static synchronized void on() {
    on = true;
  }

  /** What has been made. */
  record Made(List<EngineMonitor> engines, List<KeyLane<?>> keys) {}

  /** Returns what has been made since the last call. */
  static synchronized Made take() {
    var keys = new ArrayList<KeyLane<?>>();
    for (Lane lane : lanes) {
      KeyLane<?> key = (KeyLane<?>) lane;
      @Nullable Object owner = Fields.find(key, "keys", Object.class);
      if (owner != null) { // otherwise another thread is making it right now
        keys.add(key);
      }
    }
    var made = new Made(List.copyOf(engines), keys);
    engines.clear();
    lanes.clear();
    return made;
  }
}
