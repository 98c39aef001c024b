package dev.pacegate.compatibility;

import static dev.pacegate.compatibility.Verdicts.assertOutcome;

import dev.pacegate.limit.Outcome;
import java.net.ConnectException;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.DelayKt;
import kotlinx.coroutines.TimeoutKt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import scala.concurrent.Await;
import scala.concurrent.Future;
import scala.concurrent.Promise;
import scala.concurrent.duration.Duration;

/** What futures of Scala and coroutines of Kotlin fail with. */
@Timeout(60)
class OtherLanguagesTest {

  private static void await(Throwable failure) throws Exception {
    Future<Object> future = Promise.<Object>apply().failure(failure).future();
    Await.result(future, Duration.create("1s"));
  }

  @Test
  void scalaBoxesErrorsAndInterrupts() {
    assertOutcome(Outcome.LOST, "Scala error", () -> await(new StackOverflowError()));
    assertOutcome(Outcome.LOST, "Scala interrupt", () -> await(new InterruptedException()));
    assertOutcome(Outcome.NOT_SENT, "Scala refused", () -> await(new ConnectException()));
  }

  @Test
  void anAwaitThatTimesOutIsLost() {
    Future<Object> never = Promise.<Object>apply().future();
    assertOutcome(Outcome.LOST, "Scala await", () -> Await.result(never, Duration.create("50ms")));
  }

  @Test
  void aCoroutineThatTimesOutIsLost() {
    assertOutcome(
        Outcome.LOST,
        "Kotlin withTimeout",
        () ->
            BuildersKt.runBlocking(
                EmptyCoroutineContext.INSTANCE,
                (scope, outer) ->
                    TimeoutKt.withTimeout(50, (inner, job) -> DelayKt.delay(60_000, job), outer)));
  }

  @Test
  void aCancelledCoroutineIsLost() {
    assertOutcome(
        Outcome.LOST,
        "Kotlin cancel",
        () ->
            BuildersKt.runBlocking(
                EmptyCoroutineContext.INSTANCE,
                (scope, outer) -> {
                  kotlinx.coroutines.CoroutineScopeKt.cancel(scope, "enough", null);
                  return DelayKt.delay(60_000, outer);
                }));
  }
}
