package dev.pacegate.proxy;

import static java.util.Objects.requireNonNull;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.Time;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * A limit in force, with all that it has let through and all that waits for it. Its setting
 * changes; the limiter stays. Thread-safe but for changes.
 */
final class NamedLimit {

  private final Limiter all;
  private final @Nullable KeyedLimiter<String> keyed;
  private final @Nullable HeaderKey key;
  private final int mostOfBatch;
  private volatile LimitSetting setting; // the last that was put in force as a whole
  private volatile boolean whole = true; // false if a part of another may be in force

  private NamedLimit(
      LimitSetting setting,
      int maxWaiting,
      Limiter all,
      @Nullable KeyedLimiter<String> keyed,
      @Nullable HeaderKey key) {
    this.setting = setting;
    this.all = all;
    this.keyed = keyed;
    this.key = key;
    this.mostOfBatch = Math.max(1, maxWaiting - (maxWaiting + 4) / 5);
  }

  static NamedLimit create(LimitSetting setting, Time time, int maxWaiting) {
    LimitSetting.Keys keys = setting.keys();
    if (keys == null) {
      Limiter limiter =
          Limiter.builder(setting.limit())
              .name(setting.name())
              .time(time)
              .maxWaiting(maxWaiting)
              .lane(RouteClass.INTERACTIVE, RouteClass.SHARE_OF_INTERACTIVE)
              .lane(RouteClass.BATCH, RouteClass.SHARE_OF_BATCH)
              .build();
      return new NamedLimit(setting, maxWaiting, limiter, null, null);
    }
    KeyedLimiter.Builder builder =
        KeyedLimiter.builder(setting.limit())
            .name(setting.name())
            .time(time)
            .maxWaiting(maxWaiting)
            .maxKeys(keys.most())
            .within(ofAll(setting));
    if (keys.queue() != null) {
      builder.maxWaitingPerKey(keys.queue());
    }
    KeyedLimiter<String> keyed = builder.build();
    return new NamedLimit(setting, maxWaiting, keyed.all(), keyed, new HeaderKey(keys.header()));
  }

  private static Limit ofAll(LimitSetting setting) {
    return setting.within() == null ? Limits.unlimited() : setting.within();
  }

  /** Checks that requests may have such a cost. */
  static void checkCost(LimitSetting setting, RouteCost cost, ConfigNode route) {
    NamedLimit tried = create(setting, Time.system(), 0);
    try {
      Limiter limiter = tried.keyed == null ? tried.all : tried.keyed.limiter("any");
      if (cost instanceof RouteCost.Constant constant) {
        limiter.estimateWait(constant.amount());
      } else {
        limiter.requireCounted(Cost.of(2));
      }
    } catch (IllegalArgumentException | CostTooLargeException e) {
      throw route.wrong("limit " + setting.name() + ": " + e.getMessage());
    } finally {
      tried.close();
    }
  }

  /** Checks that a setting can be put in force here. */
  void checkChange(LimitSetting next) {
    if (!setting.hasKeysOf(next)) {
      throw next.at()
          .wrong(
              "the keys of limit "
                  + next.name()
                  + " cannot change while the proxy runs: give the limit another name, or restart"
                  + " the proxy");
    }
  }

  LimitSetting setting() {
    return setting;
  }

  /** Returns whether that setting, and nothing else, is in force. */
  boolean keeps(LimitSetting next) {
    return whole && setting.isAs(next);
  }

  /** Puts a setting in force. If that fails, a part of it may be. */
  void change(LimitSetting next) {
    whole = false;
    if (keyed == null) {
      all.setLimit(next.limit());
    } else {
      keyed.setLimit(next.limit());
      all.setLimit(ofAll(next));
    }
    setting = next;
    whole = true;
  }

  /** Returns the limiter in whose queue a request waits. */
  Limiter limiter(HttpServerRequest request, RouteClass category) {
    return keyed == null
        ? all.lane(category.of(request))
        : keyed.limiter(requireNonNull(key).of(request));
  }

  /**
   * Returns whether a request may wait that has just begun to. A fifth of the queue is kept for
   * interactive requests: a batch that fills it all would keep them out.
   */
  boolean mayWait(HttpServerRequest request, RouteClass category) {
    return keyed != null
        || !category.of(request).equals(RouteClass.BATCH)
        || all.snapshot().waiting() <= mostOfBatch;
  }

  Limiter all() {
    return all;
  }

  @Nullable KeyedLimiter<String> keyed() {
    return keyed;
  }

  void close() {
    if (keyed == null) {
      all.close();
    } else {
      keyed.close();
    }
  }
}
