package dev.pacegate;

import static java.util.Objects.requireNonNull;

import dev.pacegate.config.FileWatch;
import dev.pacegate.config.LimitsFile;
import dev.pacegate.config.PeriodicTask;
import dev.pacegate.config.ReloadReporter;
import dev.pacegate.context.ContextPropagator;
import dev.pacegate.limit.Limit;
import dev.pacegate.thread.HelperThreads;
import dev.pacegate.time.Time;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A registry of limiters by name, read from a configuration with one line for each:
 *
 * <pre>
 * sms     = 10/1s &amp; concurrent(2)
 * reports = peer(60/1m)
 * </pre>
 *
 * <p>{@link #watch(Path)} follows a file while the program runs. Closing the registry closes all
 * its limiters. Thread-safe.
 */
public final class Limiters implements AutoCloseable {

  private static final Duration PERIOD = Duration.ofSeconds(1);

  private static final ReloadListener NONE = new ReloadListener() {};

  private volatile Map<String, Limiter> byName = new TreeMap<>(); // replaced, never changed

  private final ReentrantLock changing = new ReentrantLock();

  // Guarded by the lock.
  private final Map<String, Limit> said = new HashMap<>(); // as last configured, by name
  private boolean closed;

  private final @Nullable ContextPropagator context; // the default if null
  private final @Nullable FileWatch file;
  private volatile @Nullable PeriodicTask following; // of a file that is followed

  private Limiters(@Nullable ContextPropagator context) {
    this.context = context;
    this.file = null;
  }

  private Limiters(@Nullable ContextPropagator context, Path path, ReloadListener listener) {
    this.context = context;
    this.file =
        new FileWatch(new LimitsFile(path), this::apply, new ReloadReporter(path, listener));
  }

  /** Returns a builder, for options that all limiters of a registry have. */
  public static LimitersBuilder builder() {
    return new LimitersBuilder();
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
    return builder().from(limits);
  }

  /**
   * Returns a limiter for each line of {@code file}, which is read now and whenever {@link #reload}
   * is called.
   *
   * @param file {@link Properties} in UTF-8: each key is the name of a limiter, its value the
   *     limit; a key that occurs twice is an error
   * @throws IOException if the file cannot be read
   * @throws IllegalArgumentException if the content is wrong; the message names the file and the
   *     keys
   */
  public static Limiters from(Path file) throws IOException {
    return builder().from(file);
  }

  /**
   * Returns a limiter for each line of {@code file}, as {@link #from(Path)} does, and follows the
   * file until closed.
   *
   * <p><b>A change</b> takes effect within a few seconds, however the file is replaced. Existing
   * limiters get the new limit by {@link Limiter#setLimit(Limit)}: requests released before still
   * count, and waiters are rescheduled immediately. New names get a limiter. A line that has not
   * changed has no effect, not even on a limit that the program has set meanwhile.
   *
   * <p><b>No mistake lifts a limit.</b> If anything in the file is wrong, nothing is changed. A
   * limiter that the file no longer names keeps its limit, and a missing file changes nothing. A
   * file is read once it has not changed for a second. A program that writes it more slowly should
   * write another file and rename it.
   *
   * <p>Mistakes are logged as warnings.
   */
  public static Limiters watch(Path file) throws IOException {
    return builder().watch(file);
  }

  /** As {@link #watch(Path)}, and reports to {@code listener} how reading the file went. */
  public static Limiters watch(Path file, ReloadListener listener) throws IOException {
    return builder().watch(file, listener);
  }

  static Limiters watch(
      Path file, ReloadListener listener, Time time, Executor executor, Duration period)
      throws IOException {
    return builder().read(file, listener).follow(time, executor, period);
  }

  private Limiters follow(Time time, Executor executor, Duration period) {
    following = PeriodicTask.start(time, executor, period.toNanos(), this::check);
    return this;
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
          "there is no limiter \"" + name + "\", only " + all.keySet());
    }
    return limiter;
  }

  /** Returns the names of the limiters there are now. */
  public Set<String> names() {
    return Collections.unmodifiableSet(byName.keySet());
  }

  /**
   * Reads the file now, without waiting until it has stopped changing as {@link #watch(Path)} does.
   *
   * @return what has changed
   * @throws IOException if the file cannot be read; nothing has been changed
   * @throws IllegalArgumentException if the content is wrong; nothing has been changed
   * @throws IllegalStateException if the limiters are closed, or come from no file
   */
  public Reload reload() throws IOException {
    return file().reload();
  }

  /** Looks at the file once, as is done every second. */
  void check() {
    file().check();
  }

  private FileWatch file() {
    if (file == null) {
      throw new IllegalStateException(
          "these limiters come from no file: only those of Limiters.watch(file) can be read again");
    }
    return file;
  }

  /** All new limiters are made before any other is changed. */
  private Reload apply(Map<String, Limit> limits) {
    changing.lock();
    try {
      return applyAlone(limits);
    } finally {
      changing.unlock();
    }
  }

  private Reload applyAlone(Map<String, Limit> limits) {
    if (closed) {
      throw new IllegalStateException("these limiters are closed");
    }
    List<String> added = add(limits);
    List<String> changed = change(limits);
    var missing = new TreeSet<>(byName.keySet());
    missing.removeAll(limits.keySet());
    return new Reloaded(List.copyOf(changed), List.copyOf(added), List.copyOf(missing));
  }

  private List<String> add(Map<String, Limit> limits) {
    var all = new TreeMap<>(byName);
    var added = new ArrayList<String>();
    limits.forEach(
        (name, limit) -> {
          if (!all.containsKey(name)) {
            all.put(name, newLimiter(name, limit));
            added.add(name);
          }
        });
    added.forEach(name -> said.put(name, limits.get(name)));
    byName = all;
    return added;
  }

  private Limiter newLimiter(String name, Limit limit) {
    Limiter.Builder builder = Limiter.builder(limit).name(name);
    return (context == null ? builder : builder.context(context)).build();
  }

  private List<String> change(Map<String, Limit> limits) {
    var changed = new ArrayList<String>();
    limits.forEach(
        (name, limit) -> {
          if (!limit.equals(said.get(name))) {
            get(name).setLimit(limit);
            said.put(name, limit);
            changed.add(name);
          }
        });
    return changed;
  }

  /** Closes all limiters, and stops following the file. */
  @Override
  public void close() {
    PeriodicTask task = following;
    if (task != null) {
      task.close();
    }
    if (file != null) {
      file.close();
    }
    changing.lock();
    try {
      closed = true;
    } finally {
      changing.unlock();
    }
    byName.values().forEach(Limiter::close);
  }

  /** Options of a registry; see the methods for defaults. Not thread-safe. */
  public static final class LimitersBuilder {

    private @Nullable ContextPropagator context;

    private LimitersBuilder() {}

    /** Sets what carries the context of callers: see {@link Limiter.Builder#context}. */
    public LimitersBuilder context(ContextPropagator propagator) {
      this.context = requireNonNull(propagator);
      return this;
    }

    /** As {@link Limiters#from(Map)}. */
    public Limiters from(Map<String, String> limits) {
      var limiters = new Limiters(context);
      limiters.apply(LimitsFile.parse(limits));
      return limiters;
    }

    /** As {@link Limiters#from(Path)}. */
    public Limiters from(Path file) throws IOException {
      return read(file, NONE);
    }

    /** As {@link Limiters#watch(Path)}. */
    public Limiters watch(Path file) throws IOException {
      return watch(file, NONE);
    }

    /** As {@link Limiters#watch(Path, ReloadListener)}. */
    public Limiters watch(Path file, ReloadListener listener) throws IOException {
      return read(file, listener).follow(Time.system(), HelperThreads::execute, PERIOD);
    }

    private Limiters read(Path file, ReloadListener listener) throws IOException {
      var limiters = new Limiters(context, file, requireNonNull(listener));
      limiters.file().take();
      return limiters;
    }
  }
}
