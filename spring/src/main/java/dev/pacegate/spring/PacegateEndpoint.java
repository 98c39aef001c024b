package dev.pacegate.spring;

import dev.pacegate.KeyedLimiter;
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
 *
 * <p>A name is that of a property, or that of a bean that is a {@link KeyedLimiter}; what is done
 * to the latter is done to all its keys.
 */
@Endpoint(id = "pacegate")
public final class PacegateEndpoint {

  private final KnownLimiters limiters;

  PacegateEndpoint(KnownLimiters limiters) {
    this.limiters = limiters;
  }

  /** Returns the state of each limiter by name. */
  @ReadOperation
  public Map<String, LimiterState> all() {
    var all = new TreeMap<String, LimiterState>();
    limiters.all().forEach((name, known) -> all.put(name, LimiterState.of(known)));
    return all;
  }

  /** Returns the state of one limiter; null, which is status 404, if there is none. */
  @ReadOperation
  public @Nullable LimiterState one(@Selector String name) {
    KnownLimiter known = limiters.all().get(name);
    return known == null ? null : LimiterState.of(known);
  }

  /**
   * Changes a limiter and returns its state; what is absent stays. A limit counts as the peer does
   * unless the text says otherwise, and is in force until the property changes. An unknown name is
   * an error, which lists the names there are.
   *
   * <p>The limit of a keyed limiter is that of each key, but for keys with a limit of their own; it
   * counts as the one before. {@code "paused": false} ends the pauses of all its keys, whether the
   * program or the peer began them.
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
      KnownLimiter known = get(name);
      change(known, limit, paused, pauseFor);
      return LimiterState.of(known);
    } catch (IllegalArgumentException wrong) {
      String reason = String.valueOf(wrong.getMessage());
      throw new InvalidEndpointRequestException(reason, reason);
    }
  }

  private KnownLimiter get(String name) {
    Map<String, KnownLimiter> all = limiters.all();
    KnownLimiter known = all.get(name);
    if (known == null) {
      throw new IllegalArgumentException(
          "there is no limiter \"" + name + "\", only " + all.keySet());
    }
    return known;
  }

  private static void change(
      KnownLimiter known,
      @Nullable String limit,
      @Nullable Boolean paused,
      @Nullable String pauseFor) {
    var span = pauseFor == null ? null : DurationStyle.detectAndParse(pauseFor);
    if (limit != null) {
      known.setLimit(limit);
    }
    if (paused != null && paused) {
      known.all().pause();
    } else if (paused != null) {
      known.all().resume();
    }
    if (span != null) {
      known.all().pauseFor(span);
    }
  }
}
