package dev.pacegate.cli;

import dev.pacegate.Limiter;
import dev.pacegate.StateFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The option for a file in which a command stores what it has let through. */
final class StateOption implements OptionGroup {

  private static final String REMEDY =
      ". Processes share a limit by --store redis://HOST:PORT --name NAME";

  private @Nullable Path file;

  @Override
  public void addTo(CommandOptions options) {
    options.value(
        "--state",
        "FILE",
        "keep in FILE what was let through, so that LIMIT holds for this run and the next"
            + " together, even if this one is killed; created if missing, for one run at a time; see --store for several",
        Path.class,
        Path::of,
        path -> file = path);
  }

  boolean isGiven() {
    return file != null;
  }

  @Nullable Path file() {
    return file;
  }

  /** Builds a limiter that resumes from the file, if one is given. */
  Limiter build(Limiter.Builder builder) throws Failure {
    if (file != null) {
      OpenFiles.refuse("--state", file);
    }
    try {
      return (file == null ? builder : builder.state(file)).build();
    } catch (StateFileException e) {
      throw new Failure(e.getMessage() + (e.isInUse() ? REMEDY : ""));
    } catch (IllegalArgumentException e) {
      throw new Failure(e.getMessage());
    }
  }
}
