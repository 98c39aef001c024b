package dev.pacegate.proxy;

import static java.util.Objects.requireNonNull;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.time.Time;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The routes and limits of a YAML file, which may change while a proxy runs. Each route names the
 * limit that its requests keep; routes that name the same limit share one allowance.
 *
 * <p><b>A change</b> sets limits on the limiters there are, by their names: what they let through
 * counts, and requests that wait keep their places. Then all routes are replaced at once. If
 * anything in the file is wrong, nothing changes. A limit that the file no longer names stays, as
 * its requests may wait, and as it counts on should the name come back.
 *
 * <p>Thread-safe.
 */
public final class ProxyRoutes implements AutoCloseable {

  /** Each is kept as long as this is open, and has figures of its own. */
  private static final int MOST_LIMITS = 1000;

  private final Path file;
  private final Time time;
  private final int maxWaiting;

  private volatile Map<String, NamedLimit> limits = Map.of(); // replaced, never changed
  private volatile RouteTable table;
  private byte[] content; // in force; guarded by this

  private @Nullable FileFollower follower; // guarded by this
  private boolean closed; // guarded by this

  private ProxyRoutes(Path file, byte[] content, Time time, int maxWaiting) {
    this.file = file;
    this.time = time;
    this.maxWaiting = maxWaiting;
    this.content = content;
    ProxyFile said = ProxyFile.parse(file.toString(), content);
    this.limits = limitsFor(said);
    this.table = RouteTable.of(said, limits);
  }

  /**
   * Reads a file.
   *
   * @param time the time of its limiters
   * @param maxWaiting how many requests may wait for each of its limits
   * @throws IOException if it cannot be read
   * @throws IllegalArgumentException if its content is wrong; the message names the file and the
   *     place
   */
  public static ProxyRoutes read(Path file, Time time, int maxWaiting) throws IOException {
    return new ProxyRoutes(file, ProxyFile.bytes(file), time, maxWaiting);
  }

  /**
   * Reads the file again, and puts in force what it says.
   *
   * @return what has changed, for people
   * @throws IOException if it cannot be read; nothing has changed
   * @throws IllegalArgumentException if its content is wrong; nothing has changed
   * @throws IllegalStateException if this is closed
   */
  public String reload() throws IOException {
    return apply(ProxyFile.bytes(file));
  }

  synchronized String apply(byte[] content) {
    if (closed) {
      throw new IllegalStateException("these routes are closed");
    }
    String change = putInForce(ProxyFile.parse(file.toString(), content));
    this.content = content;
    if (follower != null) {
      follower.isInForce(content);
    }
    return change;
  }

  synchronized String putInForce(ProxyFile said) {
    said.limits().forEach(this::checkChange);
    var before = new TreeSet<>(table.file().limits().keySet());
    Map<String, NamedLimit> next = limitsFor(said);
    var changed = new LinkedHashMap<NamedLimit, LimitSetting>(); // and what was in force
    try {
      RouteTable routes = RouteTable.of(said, next);
      said.limits().values().forEach(setting -> change(setting, next, changed));
      limits = next;
      table = routes;
    } catch (RuntimeException | Error e) {
      try {
        changed.forEach((limit, former) -> takeBack(limit, former, e));
      } finally {
        closeNew(next);
      }
      throw e;
    }
    return summary(before, said, changed.values().stream().map(LimitSetting::name).toList());
  }

  private static void change(
      LimitSetting setting, Map<String, NamedLimit> limits, Map<NamedLimit, LimitSetting> changed) {
    NamedLimit limit = requireNonNull(limits.get(setting.name()));
    if (!limit.keeps(setting)) {
      changed.put(limit, limit.setting());
      limit.change(setting);
    }
  }

  /** What made the change fail may do so again, and others are to be taken back, too. */
  private static void takeBack(NamedLimit limit, LimitSetting former, Throwable failure) {
    try {
      limit.change(former);
    } catch (RuntimeException | Error again) {
      failure.addSuppressed(again);
    }
  }

  private void closeNew(Map<String, NamedLimit> next) {
    next.values().stream().filter(limit -> !limits.containsValue(limit)).forEach(NamedLimit::close);
  }

  private String summary(Set<String> before, ProxyFile said, List<String> changed) {
    var added = new TreeSet<>(said.limits().keySet());
    added.removeAll(before);
    before.removeAll(said.limits().keySet());
    String routes = said.routes().size() == 1 ? "1 route" : said.routes().size() + " routes";
    return file
        + " is in force: "
        + routes
        + named("limits changed: ", changed)
        + named("new: ", added)
        + named("no longer named: ", before)
        + named("", warnings());
  }

  private static String named(String what, Collection<String> names) {
    return names.isEmpty() ? "" : "; " + what + String.join(", ", names);
  }

  private void checkChange(String name, LimitSetting next) {
    NamedLimit inForce = limits.get(name);
    if (inForce != null) {
      inForce.checkChange(next);
    }
  }

  /** Returns the limits there are, and new ones. */
  private Map<String, NamedLimit> limitsFor(ProxyFile said) {
    var names = new TreeSet<>(limits.keySet());
    names.addAll(said.limits().keySet());
    if (names.size() > MOST_LIMITS) {
      throw new IllegalArgumentException(
          file
              + ": there would be more than "
              + MOST_LIMITS
              + " limits, with those that are no longer named: restart the proxy");
    }
    var all = new LinkedHashMap<>(limits);
    try {
      said.limits()
          .forEach(
              (name, setting) ->
                  all.computeIfAbsent(name, added -> NamedLimit.create(setting, time, maxWaiting)));
      return all;
    } catch (RuntimeException | Error e) {
      closeNew(all);
      throw e;
    }
  }

  /**
   * Looks at the file each second from now on, and reads it again once it has changed, until this
   * is closed. Does nothing if it is.
   *
   * @param log takes a line for each change, and for each content that is refused
   */
  public synchronized void follow(Consumer<String> log) {
    if (follower == null && !closed) {
      follower = new FileFollower(file, content, this::apply, log);
      follower.start();
    }
  }

  /**
   * Returns how often the file, as it is {@linkplain #follow followed}, was refused: it was wrong,
   * or could not be read. What was in force before stayed.
   */
  public synchronized long refused() {
    return follower == null ? 0 : follower.refusals();
  }

  /** Has the file read now, if it is {@linkplain #follow followed}. Does not wait for that. */
  public synchronized void reloadSoon() {
    if (follower != null) {
      follower.ask();
    }
  }

  /** Returns a line for each limit and each route in force. */
  public List<String> lines() {
    RouteTable now = table;
    var lines = new ArrayList<String>();
    now.file().limits().forEach((name, limit) -> lines.add("limit " + name + ": " + limit));
    now.file().routes().forEach(route -> lines.add("route " + route));
    return lines;
  }

  /** Returns a line for each thing in the file that is allowed but hardly meant. */
  public List<String> warnings() {
    return table.file().warnings();
  }

  /** Returns the limiters of all requests by name; those of a limit per key are not among them. */
  public Map<String, Limiter> limiters() {
    var plain = new LinkedHashMap<String, Limiter>();
    limits.forEach(
        (name, limit) -> {
          if (limit.keyed() == null) {
            plain.put(name, limit.all());
          }
        });
    return plain;
  }

  /** Returns the limiters per key by name. */
  public Map<String, KeyedLimiter<String>> keyedLimiters() {
    var keyed = new LinkedHashMap<String, KeyedLimiter<String>>();
    limits.forEach(
        (name, limit) -> {
          KeyedLimiter<String> perKey = limit.keyed();
          if (perKey != null) {
            keyed.put(name, perKey);
          }
        });
    return keyed;
  }

  /** Returns a limiter for each limit: that of all its requests. */
  List<Limiter> all() {
    return limits.values().stream().map(NamedLimit::all).toList();
  }

  Optional<Route> of(HttpServerRequest request) {
    return table.of(request);
  }

  /** Stops following the file, and closes all limiters. */
  @Override
  public synchronized void close() {
    closed = true;
    if (follower != null) {
      follower.close();
    }
    limits.values().forEach(NamedLimit::close);
  }
}
