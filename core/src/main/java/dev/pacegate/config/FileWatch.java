package dev.pacegate.config;

import dev.pacegate.Reload;
import dev.pacegate.limit.Limit;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file of limits again and again, and hands over its content when that has changed.
 *
 * <p>Each check reads the whole file and compares the content. That is right however the file was
 * replaced: in place, by renaming, by a changed symbolic link, or by a copy of the same length and
 * age.
 *
 * <p>A new content is applied once two looks in a row have seen it, as a file that is just being
 * written may happen to be valid. Likewise two looks in a row must fail before a problem is
 * reported, as a file may be missing while it is replaced.
 */
public final class FileWatch {

  private final LimitsFile file;
  private final Function<Map<String, Limit>, Reload> target;
  private final ReloadReporter reporter;
  private final ReentrantLock checking = new ReentrantLock();

  // Guarded by the lock.
  private byte @Nullable [] seen; // by the last check; null if it could not be read
  private byte @Nullable [] handled; // applied or reported as wrong; null if as unreadable

  private volatile boolean closed;

  public FileWatch(
      LimitsFile file, Function<Map<String, Limit>, Reload> target, ReloadReporter reporter) {
    this.file = file;
    this.target = target;
    this.reporter = reporter;
  }

  /**
   * Applies the file's content now.
   *
   * @throws IOException if it cannot be read
   * @throws IllegalArgumentException if the content is wrong; nothing has been changed
   */
  public Reload take() throws IOException {
    checking.lock();
    try {
      byte[] content = file.read();
      Reload reload = target.apply(file.parse(content));
      seen = content;
      handled = content;
      return reload;
    } finally {
      checking.unlock();
    }
  }

  /** As {@link #take}, and reports it. */
  public Reload reload() throws IOException {
    Reload reload = take();
    reporter.reloaded(reload);
    return reload;
  }

  /** Looks once, and reports the result, if any. */
  public void check() {
    Runnable news;
    checking.lock();
    try {
      news = find();
    } finally {
      checking.unlock();
    }
    if (news != null && !closed) {
      news.run();
    }
  }

  private @Nullable Runnable find() {
    byte[] content;
    try {
      content = file.read();
    } catch (IOException | RuntimeException unreadable) {
      if (!isNews(null)) {
        return null;
      }
      handled = null;
      return () -> reporter.problem(unreadable);
    }
    return isNews(content) ? handle(content) : null;
  }

  private boolean isNews(byte @Nullable [] content) {
    boolean settled = Arrays.equals(content, seen);
    seen = content;
    return settled && !Arrays.equals(content, handled);
  }

  private Runnable handle(byte[] content) {
    try {
      Reload reload = target.apply(file.parse(content));
      handled = content;
      return () -> reporter.reloaded(reload);
    } catch (RuntimeException wrong) {
      handled = content;
      return () -> reporter.problem(wrong);
    }
  }

  /** Stops all reports. */
  public void close() {
    closed = true;
  }
}
