package dev.pacegate.proxy;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.LimitFormatException;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A limit of a configuration file, of all requests or of each key.
 *
 * @param within the limit of all keys together
 */
record LimitSetting(
    ConfigNode at, String name, Limit limit, @Nullable Keys keys, @Nullable Limit within) {

  private static final List<String> KEYS =
      List.of("limit", "key", "within", "most-keys", "queue-per-key");

  /** It stands in lines of the log, and is the label of metrics. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  private static final int MOST_KEYS = 10_000;

  /**
   * By what requests are counted, and how many of it there may be.
   *
   * @param queue how many requests of one key may wait; null for as many as may at all
   */
  record Keys(String header, int most, @Nullable Integer queue) {}

  static LimitSetting read(String name, ConfigNode node) {
    if (!NAME.matcher(name).matches()) {
      throw node.wrong(
          "the name of a limit must be letters, digits, dots, hyphens and underscores, at most 64");
    }
    if (!node.isMap()) {
      return new LimitSetting(node, name, limit(node), null, null);
    }
    Map<String, ConfigNode> fields = node.fields("a limit", KEYS);
    ConfigNode limit = fields.get("limit");
    if (limit == null) {
      throw node.wrong("limit is missing, such as limit: 10/1s");
    }
    ConfigNode key = fields.get("key");
    if (key == null) {
      for (String option : KEYS.subList(2, KEYS.size())) {
        if (fields.containsKey(option)) {
          throw requireNonNull(fields.get(option)).wrong(option + " needs key");
        }
      }
      return new LimitSetting(node, name, limit(limit), null, null);
    }
    ConfigNode within = fields.get("within");
    return new LimitSetting(
        node, name, limit(limit), keys(key, fields), within == null ? null : limit(within));
  }

  private static Keys keys(ConfigNode key, Map<String, ConfigNode> fields) {
    ConfigNode most = fields.get("most-keys");
    ConfigNode queue = fields.get("queue-per-key");
    return new Keys(
        HeaderValue.nameIn(key, "key"),
        most == null ? MOST_KEYS : most.number("most-keys", 1),
        queue == null ? null : queue.number("queue-per-key", 0));
  }

  /** Counted as the other side does, as that of the command line is. */
  private static Limit limit(ConfigNode node) {
    String text = node.text("limit");
    try {
      Limit limit = Limits.parse(text);
      for (Promise promise : limit.promises()) {
        if (promise.of().entry() == Measure.Entry.NAMED) {
          throw node.wrong("no request here has a cost of " + promise.of().name());
        }
      }
      return asPeerCounts(node, limit);
    } catch (LimitFormatException e) {
      String problem = String.valueOf(e.getMessage());
      throw node.wrong(problem.replace(" (to stop everything, use pause())", ""));
    }
  }

  private static Limit asPeerCounts(ConfigNode node, Limit limit) {
    try {
      return limit.asPeerCounts();
    } catch (IllegalArgumentException e) {
      throw node.wrong(e.getMessage() + " (or write starts(...))");
    }
  }

  /** Returns what is allowed in it but hardly meant. */
  Stream<String> warnings() {
    Limit all = within;
    return Stream.concat(
            limit.warnings().stream(), all == null ? Stream.empty() : all.warnings().stream())
        .map(warning -> "limit " + name + ": " + warning);
  }

  /** Whether its requests have the same keys. The letters of a header's name may be any. */
  boolean hasKeysOf(LimitSetting other) {
    if (keys == null || other.keys == null) {
      return Objects.equals(keys, other.keys);
    }
    return keys.header().equalsIgnoreCase(other.keys.header())
        && keys.most() == other.keys.most()
        && Objects.equals(keys.queue(), other.keys.queue());
  }

  /** Whether it says the same, wherever that is in the file. */
  boolean isAs(LimitSetting other) {
    return toString().equals(other.toString());
  }

  @Override
  public String toString() {
    if (keys == null) {
      return limit.toString();
    }
    return limit
        + " per "
        + keys.header()
        + (within == null ? "" : " within " + within)
        + ", of at most "
        + keys.most()
        + " values"
        + (keys.queue() == null ? "" : " with " + keys.queue() + " waiting");
  }
}
