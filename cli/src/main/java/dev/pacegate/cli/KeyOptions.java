package dev.pacegate.cli;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.LimitFormatException;
import dev.pacegate.limit.Limits;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code proxy} that make LIMIT a limit per key. */
final class KeyOptions {

  private static final String HEADER = "header:";

  @Option(
      names = "--key",
      paramLabel = "header:NAME",
      description =
          "LIMIT holds for each value of that header; requests without it share one. The value is"
              + " neither kept nor logged")
  private @Nullable String key;

  @Option(
      names = "--within",
      paramLabel = "LIMIT",
      description = "with --key: a limit that all keys keep together")
  private @Nullable String within;

  @Option(
      names = "--most-keys",
      paramLabel = "N",
      description =
          "with --key: how many values may be in use at a time; 10000 unless given. Requests with"
              + " others get the status 503")
  private @Nullable Integer most;

  boolean isGiven() {
    return key != null;
  }

  /** Returns the name of the header. */
  String header() throws Failure {
    String name = key == null ? "" : key;
    if (!name.startsWith(HEADER) || !name.matches("header:[A-Za-z0-9-]+")) {
      throw new Failure("--key must be header:NAME, such as header:X-Api-Key: " + name);
    }
    return name.substring(HEADER.length());
  }

  /** What has no effect is not accepted. */
  void check(LimiterOptions options) throws Failure {
    if (key == null && (within != null || most != null)) {
      throw new Failure((within != null ? "--within" : "--most-keys") + " needs --key");
    }
    if (key != null && options.areGiven()) {
      throw new Failure("--key cannot be used with --state or --store: keys are counted here only");
    }
    if (most != null && most < 1) {
      throw new Failure("--most-keys must be at least 1: " + most);
    }
  }

  KeyedLimiter<String> open(Limit limit, int queue, World world) throws Failure {
    KeyedLimiter.Builder builder =
        KeyedLimiter.builder(limit)
            .time(world.time())
            .maxWaiting(queue)
            .maxKeys(most == null ? 10_000 : most);
    if (within != null) {
      builder.within(all(within));
    }
    return builder.build();
  }

  private static Limit all(String text) throws Failure {
    try {
      return LimitArgument.asPeerCounts(Limits.parse(text));
    } catch (LimitFormatException e) {
      throw new Failure("--within: " + e.getMessage());
    }
  }
}
