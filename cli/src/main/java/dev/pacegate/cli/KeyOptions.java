package dev.pacegate.cli;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.proxy.PacedProxy;
import org.jspecify.annotations.Nullable;

/** The options of {@code proxy} that make LIMIT a limit per key. */
final class KeyOptions implements OptionGroup {

  private static final String HEADER = "header:";

  private @Nullable String key;
  private @Nullable String within;
  private @Nullable Integer most;
  private @Nullable Integer queuePerKey;

  @Override
  public void addTo(CommandOptions options) {
    options.text(
        "--key",
        "header:NAME",
        "keep LIMIT for each value of that header; requests without it share one. Only a digest of"
            + " the value is kept",
        text -> key = text);
    options.text(
        "--within",
        "LIMIT",
        "with --key: a limit that all keys keep together",
        text -> within = text);
    options.number(
        "--most-keys",
        "N",
        "with --key: how many values may be in use at a time; 10000 unless given. Requests with"
            + " further values get the status 503",
        number -> most = number);
    options.number(
        "--queue-per-key",
        "N",
        "with --key: how many requests of one value may wait; --queue unless given",
        number -> queuePerKey = number);
  }

  boolean isGiven() {
    return key != null;
  }

  /** Lets {@code proxy} use the limiter of the header's value. */
  void set(PacedProxy.ProxyBuilder proxy, KeyedLimiter<String> limiters) throws Failure {
    String name = key == null ? "" : key;
    if (!name.startsWith(HEADER)) {
      throw new Failure("--key must be header:NAME, such as header:X-Api-Key: " + name);
    }
    try {
      proxy.limiterPerHeader(limiters, name.substring(HEADER.length()));
    } catch (IllegalArgumentException e) {
      throw new Failure("--key: " + e.getMessage());
    }
  }

  /** Returns whether one of these options is given, with the others or not. */
  boolean isAnyGiven() {
    return key != null || within != null || most != null || queuePerKey != null;
  }

  /** What has no effect is not accepted. */
  void check(LimiterOptions options) throws Failure {
    needsKey("--within", within);
    needsKey("--most-keys", most);
    needsKey("--queue-per-key", queuePerKey);
    if (key != null && options.areGiven()) {
      throw new Failure("--key cannot be used with --state or --store: keys are counted here only");
    }
    if (most != null && most < 1) {
      throw new Failure("--most-keys must be at least 1: " + most);
    }
    if (queuePerKey != null && queuePerKey < 0) {
      throw new Failure("--queue-per-key must not be negative: " + queuePerKey);
    }
  }

  private void needsKey(String option, @Nullable Object value) throws Failure {
    if (key == null && value != null) {
      throw new Failure(option + " needs --key");
    }
  }

  KeyedLimiter<String> open(Limit limit, int queue, World world) throws Failure {
    KeyedLimiter.Builder builder =
        KeyedLimiter.builder(limit)
            .time(world.time())
            .maxWaiting(queue)
            .maxKeys(most == null ? 10_000 : most);
    if (queuePerKey != null) {
      builder.maxWaitingPerKey(queuePerKey);
    }
    if (within != null) {
      builder.within(limitOfAll(within, world));
    }
    return builder.build();
  }

  private static Limit limitOfAll(String text, World world) throws Failure {
    try {
      Limit limit = LimitArgument.ofPlainCosts(LimitArgument.parse(text));
      limit.warnings().forEach(world::say);
      return LimitArgument.asPeerCounts(limit);
    } catch (Failure e) {
      throw new Failure("--within: " + e.getMessage());
    }
  }
}
