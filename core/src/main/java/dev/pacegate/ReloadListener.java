package dev.pacegate;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Is told what becomes of a file of limits that is followed: see {@link Limiters#watch(Path,
 * ReloadListener)}. What it throws is logged and harms nobody.
 *
 * <p>It is told on a thread of {@link java.util.concurrent.CompletableFuture}'s default executor,
 * and the file is not looked at again before it returns; or by whoever calls {@link
 * Limiters#reload}.
 */
public interface ReloadListener {

  /** What the file says is now in force: it has changed, or is in order again after a problem. */
  default void onReload(Path file, Reload reload) {}

  /**
   * The file cannot be followed at present. Nothing has been changed, and it will be looked at
   * again. Told once for each content that is wrong, and once each time it becomes unreadable.
   *
   * @param problem an {@link IllegalArgumentException} if the content is wrong, whose message says
   *     which file, which keys, and why; usually an {@link IOException} if it cannot be read
   */
  default void onProblem(Path file, Exception problem) {}
}
