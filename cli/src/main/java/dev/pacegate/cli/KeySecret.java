package dev.pacegate.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option for the secret with which the processes hash keys: needed to change their limits. */
final class KeySecret {

  private static final String VARIABLE = "PACEGATE_STORE_SECRET";

  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      description =
          "a file whose first line is the secret of the programs that use limits of keys; without"
              + " it the variable "
              + VARIABLE
              + " counts. Other limits need none")
  private @Nullable String file;

  /** Returns the secret; null if none is given. */
  @Nullable String of(Map<String, String> environment) throws Failure {
    return StoreServer.secret(file, "secret of the keys", environment, VARIABLE);
  }
}
