package dev.pacegate.spring;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The limiters of the properties {@code pacegate.limits}, by name. The context closes them.
 *
 * <p>{@link #reload} puts changed properties in force: waiters are rescheduled at once. It runs by
 * itself, every {@code pacegate.refresh} and on an {@code EnvironmentChangeEvent} of Spring Cloud.
 * Boot itself does not read its files again: Spring Cloud or a property source of your own does. A
 * property that has not changed has no effect, not even on a limit that the program or the endpoint
 * has set meanwhile. A limiter whose property is gone keeps its limit.
 *
 * <p>With {@code pacegate.store}, a limit that the store knows stays in force at the start,
 * whatever the property says. {@link Limiter#setLimit}, the endpoint, or a property that changes
 * while the program runs, changes it for all processes. Thread-safe.
 */
public final class PacegateLimits implements AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.pacegate");

  private final LimiterMaker maker;
  private final Supplier<Map<String, String>> source;
  private final ReentrantLock changing = new ReentrantLock();

  private volatile Map<String, Limiter> byName = Map.of(); // replaced, never changed
  private volatile Map<String, String> said = Map.of(); // as put in force
  private Consumer<Limiter> watcher = limiter -> {}; // guarded by the lock
  private boolean closed; // guarded by the lock

  /** Reads the limits now. */
  PacegateLimits(LimiterMaker maker, Supplier<Map<String, String>> source) {
    this.maker = maker;
    this.source = source;
    try {
      reload();
    } catch (RuntimeException wrong) {
      close();
      throw wrong;
    }
  }

  /**
   * Returns the limiter of that name.
   *
   * @throws IllegalArgumentException if there is none; the message lists the names there are
   */
  public Limiter get(String name) {
    Map<String, Limiter> all = byName;
    Limiter limiter = all.get(name);
    if (limiter == null) {
      throw new IllegalArgumentException(
          "there is no limiter \""
              + name
              + "\", only "
              + all.keySet()
              + ": set "
              + LimitTexts.PREFIX
              + "."
              + name);
    }
    return limiter;
  }

  /** Returns the names of the limiters there are now. */
  public Set<String> names() {
    return Collections.unmodifiableSet(byName.keySet());
  }

  /**
   * Reads the properties, and puts in force what has changed. New names get a limiter, but no bean.
   *
   * @throws
   *     org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException
   *     if a value is no limit, or cannot be kept; nothing has been changed
   */
  public void reload() {
    changing.lock();
    try {
      Map<String, String> texts = source.get();
      if (!closed && !texts.equals(said)) {
        apply(texts);
      }
    } finally {
      changing.unlock();
    }
  }

  /**
   * All limits are read and checked before any is put in force. What is in force is remembered name
   * by name, so a failure leaves nothing that is done again.
   */
  private void apply(Map<String, String> texts) {
    Map<String, Limit> limits = LimitTexts.parse(texts);
    limits.entrySet().removeAll(LimitTexts.parse(said).entrySet());
    limits.forEach((name, limit) -> check(name, limit, textOf(name, texts)));
    limits.forEach(
        (name, limit) -> {
          put(name, limit, textOf(name, texts));
          said = with(said, name, textOf(name, texts));
        });
    var known = new TreeMap<>(said); // what is gone keeps its limit
    known.putAll(texts);
    said = known;
  }

  private static String textOf(String name, Map<String, String> texts) {
    return String.valueOf(texts.get(name));
  }

  private void check(String name, Limit limit, String text) {
    try {
      maker.check(name, limit);
    } catch (IllegalArgumentException unsupported) {
      throw LimitTexts.invalid(name, text, unsupported);
    }
  }

  private void put(String name, Limit limit, String text) {
    try {
      if (byName.containsKey(name)) {
        get(name).setLimit(limit);
        tell(name, "now ", limit);
      } else {
        add(name, maker.make(name, limit));
        tell(name, "", limit);
      }
    } catch (IllegalArgumentException unsupported) {
      throw LimitTexts.invalid(name, text, unsupported);
    }
  }

  private void tell(String name, String now, Limit limit) {
    String what = maker.shares() ? "limit asked of the store for " : "limit of ";
    LOG.log(Level.INFO, "the {0}{1} is {2}{3}", what, name, now, limit);
  }

  private void add(String name, Limiter limiter) {
    byName = with(byName, name, limiter);
    watcher.accept(limiter);
  }

  /** Tells {@code watcher} each limiter, also those to come. There is one watcher. */
  void forEach(Consumer<Limiter> watcher) {
    changing.lock();
    try {
      this.watcher = watcher;
      byName.values().forEach(watcher);
    } finally {
      changing.unlock();
    }
  }

  private static <V> Map<String, V> with(Map<String, V> all, String name, V value) {
    var more = new TreeMap<>(all);
    more.put(name, value);
    return more;
  }

  /** Closes all limiters. */
  @Override
  public void close() {
    changing.lock();
    try {
      closed = true;
    } finally {
      changing.unlock();
    }
    byName.values().forEach(Limiter::close);
    maker.close();
  }
}
