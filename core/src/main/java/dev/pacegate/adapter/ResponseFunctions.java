package dev.pacegate.adapter;

import dev.pacegate.PeerAnswer;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The user's functions that read a response. One that throws has no effect but a line in the log,
 * the first time.
 */
final class ResponseFunctions<R> {

  private final @Nullable BiFunction<? super R, ? super Cost, ? extends @Nullable Cost> actual;
  private final @Nullable Function<? super R, ? extends @Nullable PeerAnswer> refused;
  private final @Nullable BiFunction<? super String, ? super Cost, ? extends @Nullable Cost> text;
  private final Set<String> logged = ConcurrentHashMap.newKeySet();

  ResponseFunctions(
      @Nullable BiFunction<? super R, ? super Cost, ? extends @Nullable Cost> actual,
      @Nullable Function<? super R, ? extends @Nullable PeerAnswer> refused,
      @Nullable BiFunction<? super String, ? super Cost, ? extends @Nullable Cost> text) {
    this.actual = actual;
    this.refused = refused;
    this.text = text;
  }

  /** Whether one reads a response as the client gives it. */
  boolean any() {
    return actual != null || refused != null;
  }

  /** Whether the end of a body alone may end its permit. */
  boolean none() {
    return !any() && text == null;
  }

  boolean judge() {
    return refused != null;
  }

  /** Corrects the cost of a permit that has not ended. */
  void settle(Permit permit, R response) {
    if (actual == null) {
      return;
    }
    try {
      Cost cost = actual.apply(response, permit.cost());
      if (cost != null) {
        permit.settle(cost);
      }
    } catch (Throwable failure) {
      logUnsettled(failure);
    }
  }

  /** Corrects the cost of a permit; another thread may end it meanwhile. */
  void settle(Permit permit, Cost cost) {
    try {
      permit.settle(cost);
    } catch (IllegalStateException ended) {
      // Too late: the estimate has been counted.
    } catch (Throwable failure) {
      logUnsettled(failure);
    }
  }

  /** Returns the text of a body, if the user's function or the end of the body asks for it. */
  @Nullable BodyText text(BodyHeaders headers, Permit permit) {
    boolean isRead = text != null || BodyText.tellsTheEnd(headers);
    return isRead ? BodyText.of(headers, permit.cost(), this::read) : null;
  }

  private Cost read(String body, Cost soFar) {
    try {
      Cost cost = text == null ? null : text.apply(body, soFar);
      return cost == null ? soFar : cost;
    } catch (Throwable failure) {
      logUnsettled(failure);
      return soFar;
    }
  }

  private void logUnsettled(Throwable failure) {
    log("settling a cost failed, it stays as estimated", failure);
  }

  /** Returns what the user's function says, added to what the headers say. */
  PeerAnswer judge(R response, PeerAnswer headers) {
    if (refused == null) {
      return headers;
    }
    try {
      PeerAnswer more = refused.apply(response);
      return more == null ? headers : headers.and(more);
    } catch (Throwable failure) {
      log("the function of refused failed, the response counts as its headers say", failure);
      return headers;
    }
  }

  private void log(String what, Throwable failure) {
    try {
      if (logged.add(what)) {
        System.getLogger("dev.pacegate")
            .log(Level.WARNING, what + "; further failures are not logged", failure);
      }
    } catch (Throwable ignored) {
      // The logger itself has failed; the permit must still end.
    }
  }
}
