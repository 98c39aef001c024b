package dev.pacegate.http;

import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import java.lang.System.Logger.Level;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Ends a permit when the whole response is there, after its cost has been settled. The body's end
 * and the response come in either order: a response with a stream comes before the stream's end.
 */
final class Settlement {

  /** The function of the user that tells the actual cost. */
  static final class Rule {

    private final BiFunction<? super HttpResponse<?>, ? super Cost, ? extends @Nullable Cost>
        actual;
    private final AtomicBoolean logged = new AtomicBoolean();

    Rule(BiFunction<? super HttpResponse<?>, ? super Cost, ? extends @Nullable Cost> actual) {
      this.actual = actual;
    }

    private void settle(Permit permit, HttpResponse<?> response) {
      try {
        Cost cost = actual.apply(response, permit.cost());
        if (cost != null) {
          permit.settle(cost);
        }
      } catch (Throwable failure) {
        log(failure);
      }
    }

    private void log(Throwable failure) {
      if (logged.compareAndSet(false, true)) {
        try {
          System.getLogger("dev.pacegate")
              .log(
                  Level.WARNING,
                  "settling a cost failed, it stays as estimated; further failures are not logged",
                  failure);
        } catch (Throwable ignored) {
          // The logger itself has failed; the permit must still end.
        }
      }
    }
  }

  private final Permit permit;
  private final Rule rule;
  private boolean hasBody; // guarded by this, as is the response
  private @Nullable HttpResponse<?> response;

  Settlement(Permit permit, Rule rule) {
    this.permit = permit;
    this.rule = rule;
  }

  /** The whole body has come in. */
  void bodyIsIn() {
    HttpResponse<?> known;
    synchronized (this) {
      hasBody = true;
      known = response;
    }
    if (known != null) {
      end(known);
    }
  }

  /** The caller's response is there. */
  void responseIsIn(HttpResponse<?> answer) {
    synchronized (this) {
      response = answer;
      if (!hasBody) {
        return;
      }
    }
    end(answer);
  }

  private void end(HttpResponse<?> answer) {
    try {
      rule.settle(permit, answer);
    } finally {
      permit.answered();
    }
  }

  /** There will be no response; if all of the body had come in, the request was answered. */
  synchronized void failed() {
    if (hasBody) {
      permit.answered();
    }
  }
}
