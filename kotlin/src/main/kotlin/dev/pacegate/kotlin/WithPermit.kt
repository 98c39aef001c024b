package dev.pacegate.kotlin

import dev.pacegate.Limiter
import dev.pacegate.Permit
import dev.pacegate.limit.Cost
import kotlin.coroutines.resumeWithException
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlinx.coroutines.suspendCancellableCoroutine

/**
 * Waits for a permit without a thread, runs [block], and ends the permit as `Limiter.call` does: a
 * result means answered, a failure means what the limiter's `FailureClassifier` says.
 *
 * A coroutine that is cancelled while it waits gives up its place and is charged nothing. One that
 * is cancelled within [block] may have sent its request: the permit is lost, as after an interrupt.
 * `withTimeout` around this call bounds the wait and the request together; [maxWait] bounds the wait
 * alone, `withTimeout` within [block] the request alone.
 *
 * If [block] returns a `CompletionStage`, a `Deferred` or another `Job`, this returns it at once and
 * the permit ends when that does. A failed `Result` counts as its exception.
 *
 * @param cost what the request costs; name one, as in `Cost.of(1)`, to `settle` it in [block]
 * @throws dev.pacegate.RefusedException if no permit can be had; `WaitTooLongException` if not within
 *   [maxWait], at once if that is known
 * @throws IllegalStateException if [block] returns a `Flow`, a publisher or a future without
 *   callbacks, whose request is still to come. The permit is lost
 */
public suspend fun <T> Limiter.withPermit(
    cost: Cost = Cost.ONE,
    maxWait: Duration = Duration.INFINITE,
    block: suspend (Permit) -> T,
): T {
    val permit = awaitPermit(cost, maxWait)
    val result =
        try {
            permit.sending()
            block(permit)
        } catch (failure: Throwable) {
            permit.failed(failure)
            throw failure
        }
    permit.endWith(result)
    return result
}

/** Waits for a permit. One that arrives as the coroutine is cancelled goes back. */
internal suspend fun Limiter.awaitPermit(cost: Cost, maxWait: Duration = Duration.INFINITE): Permit =
    suspendCancellableCoroutine { continuation ->
        val place = acquireAsync(cost, maxWait.toJavaDuration())
        continuation.invokeOnCancellation { place.cancel(false) }
        place.whenComplete { permit: Permit?, refused: Throwable? ->
            if (permit != null) {
                continuation.resume(permit) { _, unused, _ -> unused.notSent() }
            } else {
                continuation.resumeWithException(checkNotNull(refused))
            }
        }
    }
