package dev.pacegate.config;

import dev.pacegate.Reload;
import dev.pacegate.ReloadListener;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reports reloads and problems of a file to the log and the listener; catches failures of both. */
public final class ReloadReporter {

  private final Path file;
  private final ReloadListener listener;

  public ReloadReporter(Path file, ReloadListener listener) {
    this.file = file;
    this.listener = listener;
  }

  void reloaded(Reload reload) {
    log(Level.INFO, file + ": changed " + reload.changed() + ", added " + reload.added(), null);
    if (!reload.missing().isEmpty()) {
      log(
          Level.WARNING,
          file + ": no longer names " + reload.missing() + "; they keep their limit",
          null);
    }
    tell(() -> listener.onReload(file, reload));
  }

  void problem(Exception problem) {
    boolean wrong = problem instanceof IllegalArgumentException; // whose message names the file
    String what = wrong ? "" + problem.getMessage() : file + ": " + problem;
    log(Level.WARNING, what + "; all limits stay as they are", null);
    tell(() -> listener.onProblem(file, problem));
  }

  private void tell(Runnable event) {
    try {
      event.run();
    } catch (Throwable failure) {
      log(Level.ERROR, "the listener of " + file + " failed: " + failure, null);
    }
  }

  static void log(Level level, String message, @Nullable Throwable failure) {
    try {
      System.getLogger("dev.pacegate").log(level, message, failure);
    } catch (Throwable ignored) {
      // The logger itself has failed.
    }
  }
}
