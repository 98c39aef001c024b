package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options that say which server of Redis is the store. They name no class of its client. */
final class StoreServer implements OptionGroup {

  static final String PASSWORD = "PACEGATE_STORE_PASSWORD";
  static final String PASSWORD_FILE = "--store-password-file";
  static final String REMEDY = "set " + PASSWORD + " or use " + PASSWORD_FILE + " FILE";
  private static final int LONGEST_LINE = 1 << 16;

  private @Nullable String uri;
  private @Nullable String passwordFile;
  private @Nullable Duration partition;

  @Override
  public void addTo(CommandOptions options) {
    options
        .text(
            "--store",
            "URI",
            "the Redis server that knows the limit: redis://HOST:PORT, with TLS rediss://HOST:PORT,"
                + " for another user than the usual redis://USER@HOST:PORT; any node of a Redis"
                + " Cluster; or, for the primary that Sentinels name,"
                + " redis-sentinel://HOST:PORT,HOST:PORT#NAME. Its password comes from"
                + " the environment, "
                + PASSWORD
                + ", or from "
                + PASSWORD_FILE,
            text -> uri = text)
        .text(
            PASSWORD_FILE,
            "FILE",
            "a file whose first line is the password of the --store",
            text -> passwordFile = text)
        .span(
            "--partition",
            "DURATION",
            "for how long a server that was replaced may go on answering: as in the programs that"
                + " share the limit. Without it the server's replicas confirm what is granted",
            span -> partition = span);
  }

  /** Returns the first of these options that is given; null if none is. */
  @Nullable String given() {
    if (uri != null) {
      return "--store";
    }
    return passwordFile != null ? PASSWORD_FILE : partition != null ? "--partition" : null;
  }

  /** Where a server is, and what it asks for. */
  record Login(StoreAddress address, @Nullable String password, @Nullable Duration partition) {}

  /** Returns where the server is; fails if that is not given. */
  Login login(Map<String, String> environment) throws Failure {
    if (uri == null) {
      throw new Failure("no --store is given, such as --store redis://localhost:6379");
    }
    StoreAddress address = StoreAddress.parse(uri, REMEDY);
    String password = password(environment);
    if (password == null && !address.user().isEmpty()) {
      throw new Failure("--store names a user, who needs a password: " + REMEDY);
    }
    return new Login(address, password, partition);
  }

  /** Returns the password from the file, else from the environment, else null. */
  private @Nullable String password(Map<String, String> environment) throws Failure {
    return secret(passwordFile, "password of the store", environment, PASSWORD);
  }

  /** Returns the first line of a file, else the value of a variable, else null. */
  static @Nullable String secret(
      @Nullable String file, String what, Map<String, String> environment, String variable)
      throws Failure {
    if (file != null) {
      return firstLine(file, what);
    }
    String value = environment.get(variable);
    return value == null || value.isEmpty() ? null : value;
  }

  private static String firstLine(String file, String what) throws Failure {
    String line;
    try (var in = new FileInputStream(file)) {
      line = new String(in.readNBytes(LONGEST_LINE), UTF_8).split("\r?\n", 2)[0];
    } catch (IOException e) {
      throw new Failure("cannot read the " + what + ": " + e.getMessage());
    }
    if (line.isEmpty()) {
      throw new Failure("the first line of " + file + " must be the " + what + ", but it is empty");
    }
    return line;
  }
}
