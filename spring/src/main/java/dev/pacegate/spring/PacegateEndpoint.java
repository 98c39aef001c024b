package dev.pacegate.spring;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limits;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.convert.DurationStyle;

/**
 * The Actuator endpoint {@code pacegate}: shows the limiters, changes a limit, pauses and resumes.
 *
 * <pre>
 * GET  /actuator/pacegate
 * GET  /actuator/pacegate/sms
 * POST /actuator/pacegate/sms   {"limit": "5/1m"}, {"paused": true}, {"paused": false} or {"pauseFor": "30s"}
 * </pre>
 */
@Endpoint(id = "pacegate")
public final class PacegateEndpoint {

  private final PacegateLimits limits;

  PacegateEndpoint(PacegateLimits limits) {
    this.limits = limits;
  }

  /** Returns the state of each limiter by name. */
  @ReadOperation
  public Map<String, LimiterState> all() {
    var all = new TreeMap<String, LimiterState>();
    limits.names().forEach(name -> all.put(name, LimiterState.of(limits.get(name))));
    return all;
  }

  /** Returns the state of one limiter; null, which is status 404, if there is none. */
  @ReadOperation
  public @Nullable LimiterState one(@Selector String name) {
    return limits.names().contains(name) ? LimiterState.of(limits.get(name)) : null;
  }

  /**
   * Changes a limiter and returns its state; what is absent stays. A limit counts as the peer does
   * unless the text says otherwise, and is in force until the property changes. An unknown name is
   * an error, which lists the names there are.
   *
   * @param pauseFor such as {@code 30s}
   */
  @WriteOperation
  public LimiterState change(
      @Selector String name,
      @org.springframework.lang.Nullable @Nullable String limit,
      @org.springframework.lang.Nullable @Nullable Boolean paused,
      @org.springframework.lang.Nullable @Nullable String pauseFor) {
    try {
      Limiter limiter = limits.get(name);
      change(limiter, limit, paused, pauseFor);
      return LimiterState.of(limiter);
    } catch (IllegalArgumentException wrong) {
      String reason = String.valueOf(wrong.getMessage());
      throw new InvalidEndpointRequestException(reason, reason);
    }
  }

  private static void change(
      Limiter limiter,
      @Nullable String limit,
      @Nullable Boolean paused,
      @Nullable String pauseFor) {
    var span = pauseFor == null ? null : DurationStyle.detectAndParse(pauseFor);
    if (limit != null) {
      limiter.setLimit(Limits.parse(limit).asPeerCounts());
    }
    if (paused != null && paused) {
      limiter.pause();
    } else if (paused != null) {
      limiter.resume();
    }
    if (span != null) {
      limiter.pauseFor(span);
    }
  }
}
