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
import java.util.function.Supplier;

/**
 * The limiters of the properties {@code pacegate.limits}, by name. The context closes them.
 *
 * <p>{@link #reload} puts changed properties in force: waiters are rescheduled at once. It runs by
 * itself, every {@code pacegate.refresh} and on an {@code EnvironmentChangeEvent} of Spring Cloud.
 * A property that has not changed has no effect, not even on a limit that the program or the
 * endpoint has set meanwhile. A limiter whose property is gone keeps its limit. Thread-safe.
 */
public final class PacegateLimits implements AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.pacegate");

  private final LimiterMaker maker;
  private final Supplier<Map<String, String>> source;
  private final ReentrantLock changing = new ReentrantLock();

  private volatile Map<String, Limiter> byName = Map.of(); // replaced, never changed
  private volatile Map<String, String> said = Map.of(); // as last read
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
   *     if a value is no limit; nothing has been changed
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

  /** All limits are read and all new limiters made before any is changed. */
  private void apply(Map<String, String> texts) {
    Map<String, Limit> limits = LimitTexts.parse(texts);
    Map<String, Limit> before = LimitTexts.parse(said);
    add(limits, texts);
    limits.forEach(
        (name, limit) -> {
          if (before.containsKey(name) && !limit.equals(before.get(name))) {
            change(name, limit, String.valueOf(texts.get(name)));
          }
        });
    var known = new TreeMap<>(said);
    known.putAll(texts);
    said = known;
  }

  private void add(Map<String, Limit> limits, Map<String, String> texts) {
    var all = new TreeMap<>(byName);
    limits.forEach(
        (name, limit) ->
            all.computeIfAbsent(
                name, absent -> make(name, limit, String.valueOf(texts.get(name)))));
    byName = all;
  }

  private Limiter make(String name, Limit limit, String text) {
    try {
      Limiter made = maker.make(name, limit);
      LOG.log(Level.INFO, "the limit of {0} is {1}", name, limit);
      return made;
    } catch (IllegalArgumentException unsupported) {
      throw LimitTexts.invalid(name, text, unsupported);
    }
  }

  private void change(String name, Limit limit, String text) {
    try {
      get(name).setLimit(limit);
      LOG.log(Level.INFO, "the limit of {0} is now {1}", name, limit);
    } catch (IllegalArgumentException unsupported) {
      throw LimitTexts.invalid(name, text, unsupported);
    }
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
