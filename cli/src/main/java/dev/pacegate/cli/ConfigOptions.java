package dev.pacegate.cli;

import dev.pacegate.proxy.ProxyRoutes;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The options of {@code proxy} that take limits and routes from a file. */
final class ConfigOptions implements OptionGroup {

  private @Nullable String file;
  private boolean check;

  @Override
  public void addTo(CommandOptions options) {
    options
        .text(
            "--config",
            "FILE",
            "limits and routes in a YAML file, in place of --to and LIMIT. It is read again when it"
                + " changes, and on SIGHUP",
            text -> file = text)
        .flag(
            "--check",
            "with --config: print the limits and routes in force, and listen nowhere",
            given -> check = given);
  }

  boolean isGiven() {
    return file != null;
  }

  boolean isCheck() {
    return check;
  }

  /** What the file says cannot be said twice. */
  void check(@Nullable String to, boolean limit, KeyOptions keys, LimiterOptions options)
      throws Failure {
    if (file == null) {
      if (check) {
        throw new Failure("--check needs --config");
      } else if (to == null) {
        throw new Failure("give --to=URL and LIMIT, or --config=FILE");
      }
      return;
    }
    if (to != null || limit) {
      throw new Failure("--config cannot be used with --to or LIMIT: the file says both");
    } else if (keys.isAnyGiven()) {
      throw new Failure(
          "--config cannot be used with --key and its options: the file says them of each limit");
    } else if (options.areGiven()) {
      throw new Failure(
          "--config cannot be used with --state or --store: its limits are counted here only");
    }
  }

  ProxyRoutes read(World world, int queue) throws Failure {
    String name = file == null ? "" : file;
    try {
      return ProxyRoutes.read(Path.of(name), world.time(), queue);
    } catch (IOException e) {
      throw Failure.cannotRead(name, e);
    } catch (InvalidPathException e) {
      throw new Failure("--config: there is no such file: " + name);
    } catch (IllegalArgumentException e) {
      throw new Failure(e.getMessage());
    }
  }
}
