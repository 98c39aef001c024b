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
 * Looks at a file of limits, and hands over what it says when that has changed.
 *
 * <p>Each look reads the file and compares all of it, which is right however the file was replaced:
 * in place, by renaming, by a link somewhere on its way that now leads elsewhere, by a copy of the
 * same length and age.
 *
 * <p>A new content is taken in once two looks in a row have seen it: one that is just being written
 * may by chance be in order, and say something else. So two looks must fail before that is said: a
 * file may be away while it is replaced.
 */
public final class FileWatch {

  private final LimitsFile file;
  private final Function<Map<String, Limit>, Reload> target;
  private final ReloadReporter reporter;
  private final ReentrantLock looking = new ReentrantLock();

  // Guarded by the lock.
  private byte @Nullable [] seen; // by the last look; null if it could not be read
  private byte @Nullable [] handled; // taken in or said to be wrong; null if to be unreadable

  private volatile boolean closed;

  public FileWatch(
      LimitsFile file, Function<Map<String, Limit>, Reload> target, ReloadReporter reporter) {
    this.file = file;
    this.target = target;
    this.reporter = reporter;
  }

  /**
   * Takes in what the file says now.
   *
   * @throws IOException if it cannot be read
   * @throws IllegalArgumentException if anything is wrong with it; nothing has been changed
   */
  public Reload take() throws IOException {
    looking.lock();
    try {
      byte[] content = file.read();
      Reload reload = target.apply(file.parse(content));
      seen = content;
      handled = content;
      return reload;
    } finally {
      looking.unlock();
    }
  }

  /** As {@link #take}, and tells of it. */
  public Reload reload() throws IOException {
    Reload reload = take();
    reporter.reloaded(reload);
    return reload;
  }

  /** Looks once; tells what came of it, if anything. */
  public void look() {
    Runnable news;
    looking.lock();
    try {
      news = find();
    } finally {
      looking.unlock();
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

  /** Tells nobody anything from now on. */
  public void close() {
    closed = true;
  }
}
