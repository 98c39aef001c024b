package dev.pacegate.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The option for the secret with which the processes hash keys: needed to change their limits. */
final class KeySecret implements OptionGroup {

  private static final String VARIABLE = "PACEGATE_STORE_SECRET";

  private @Nullable String file;

  @Override
  public void addTo(CommandOptions options) {
    options.text(
        "--secret-file",
        "FILE",
        "a file whose first line is the secret of the programs that use limits of keys; without it"
            + " the variable "
            + VARIABLE
            + " counts. Other limits need none",
        text -> file = text);
  }

  /** Returns the secret; null if none is given. */
  @Nullable String of(Map<String, String> environment) throws Failure {
    return StoreServer.secret(file, "secret of the keys", environment, VARIABLE);
  }
}
