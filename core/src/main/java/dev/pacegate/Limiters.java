package dev.pacegate;

import dev.pacegate.limit.Limit;
import java.util.Collections;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;

/**
 * Limiters by name, from configuration: one line each.
 *
 * <pre>
 * sms     = 10/1s &amp; concurrent(2)
 * reports = peer(60/1m)
 * </pre>
 *
 * <p>Closing it closes all of them. Thread-safe.
 */
public final class Limiters implements AutoCloseable {

  private final Map<String, Limiter> byName;

  private Limiters(Map<String, Limiter> byName) {
    this.byName = byName;
  }

  /**
   * Returns a limiter for each property: the key is its name, the value its limit.
   *
   * @throws IllegalArgumentException if a value is no limit; the message names the key
   */
  public static Limiters from(Properties properties) {
    var texts = new TreeMap<String, String>();
    for (String name : properties.stringPropertyNames()) {
      texts.put(name, properties.getProperty(name, ""));
    }
    return from(texts);
  }

  /**
   * Returns a limiter for each entry: the key is its name, the value its limit.
   *
   * @throws IllegalArgumentException if a value is no limit; the message names the key
   */
  public static Limiters from(Map<String, String> limits) {
    var byName = new TreeMap<String, Limiter>();
    limits.forEach((name, text) -> byName.put(name, limiter(name, text)));
    return new Limiters(byName);
  }

  private static Limiter limiter(String name, String text) {
    try {
      return Limiter.builder(Limit.parse(text)).name(name).build();
    } catch (IllegalArgumentException wrong) {
      throw new IllegalArgumentException(name + ": " + wrong.getMessage(), wrong);
    }
  }

  /**
   * Returns the limiter of that name.
   *
   * @throws IllegalArgumentException if there is none; the message lists those there are
   */
  public Limiter get(String name) {
    Limiter limiter = byName.get(name);
    if (limiter == null) {
      throw new IllegalArgumentException(
          "there is no limiter \"" + name + "\", only " + byName.keySet());
    }
    return limiter;
  }

  /** Returns the names. */
  public Set<String> names() {
    return Collections.unmodifiableSet(byName.keySet());
  }

  @Override
  public void close() {
    byName.values().forEach(Limiter::close);
  }
}
