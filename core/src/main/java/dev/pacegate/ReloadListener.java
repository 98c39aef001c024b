package dev.pacegate;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Receives events of a file of limits that is followed: see {@link Limiters#watch(Path,
 * ReloadListener)}. An exception that a listener throws is logged and has no other effect.
 *
 * <p>Methods are called on a thread of {@link java.util.concurrent.CompletableFuture}'s default
 * executor, and the file is not read again before they return; or on the thread that calls {@link
 * Limiters#reload}.
 */
public interface ReloadListener {

  /** The file's content is now in force: it has changed, or is valid again after a problem. */
  default void onReload(Path file, Reload reload) {}

  /**
   * The file cannot be followed at present. Nothing has been changed, and it will be read again.
   * Reported once for each invalid content, and once each time the file becomes unreadable.
   *
   * @param problem an {@link IllegalArgumentException} if the content is wrong, whose message names
   *     the file and the keys and says why; usually an {@link IOException} if the file cannot be
   *     read
   */
  default void onProblem(Path file, Exception problem) {}
}
