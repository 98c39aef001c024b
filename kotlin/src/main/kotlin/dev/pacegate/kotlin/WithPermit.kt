package dev.pacegate.kotlin

import dev.pacegate.Limiter
import dev.pacegate.Permit
import dev.pacegate.limit.Cost
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.resumeWithException
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.suspendCancellableCoroutine

/**
 * Waits for a permit without a thread, runs [block], and ends the permit as `Limiter.call` does: a
 * result means answered, a failure means what the limiter's `FailureClassifier` says. After a wait the
 * coroutine continues on its dispatcher, with its context.
 *
 * A coroutine that is cancelled while it waits gives up its place and is charged nothing. One that
 * is cancelled within [block] may have sent its request: the permit is lost, as after an interrupt.
 * `withTimeout` around this call bounds the wait and the request together; [maxWait] bounds the wait
 * alone, `withTimeout` within [block] the request alone.
 *
 * If [block] returns a `CompletionStage`, a `Deferred` or another `Job`, this returns it at once and
 * the permit ends when that does. A failed `Result` counts as its exception, any other as what it
 * holds.
 *
 * @throws dev.pacegate.RefusedException if no permit can be had; `WaitTooLongException` if not within
 *   [maxWait], at once if that is known
 * @throws IllegalArgumentException if no limit counts [cost]: see [Limiter.requireCounted]
 * @throws IllegalStateException if [block] returns what does not tell when its request is over: a
 *   `Flow`, a publisher of Reactive Streams, RxJava or Mutiny, a future without callbacks, a `Call` of
 *   OkHttp or Retrofit, an `HttpStatement` of Ktor; under a limit that counts until the answer is in,
 *   such as `peer(10/1m)` and `concurrent(4)`, also an `InputStream`, or a response of the JDK's client
 *   whose body is a stream, which is then closed. The permit is lost. The message says what to write
 *   instead
 */
public suspend fun <T> Limiter.withPermit(
    cost: Cost = Cost.ONE,
    maxWait: Duration = Duration.INFINITE,
    block: suspend () -> T,
): T {
    val now = permitNow(cost)
    val permit = now ?: waitForPermit(cost, maxWait)
    val result =
        try {
            if (now == null) permit.sending() // the dispatcher may have taken its time
            block()
        } catch (failure: Throwable) {
            permit.failed(failure)
            throw failure
        }
    permit.endWith(result, this)
    return result
}

/**
 * `Limiter.acquire` without a thread that waits, for code that ends the permit itself:
 * ```
 * api.awaitPermit(Cost.of("tokens", 900)).use { permit ->
 *     val answer = send(prompt)
 *     permit.settle(Cost.of("tokens", answer.tokens)) // or permit.answered()
 * }
 * ```
 *
 * Leaving the block without a word means lost. A permit that arrives as the coroutine is cancelled
 * goes back.
 *
 * @throws dev.pacegate.RefusedException as [withPermit]
 */
public suspend fun Limiter.awaitPermit(
    cost: Cost = Cost.ONE,
    maxWait: Duration = Duration.INFINITE,
): Permit = permitNow(cost) ?: waitForPermit(cost, maxWait)

/** A permit that is there at once costs no suspension, and overtakes no waiter. */
private suspend fun Limiter.permitNow(cost: Cost): Permit? {
    currentCoroutineContext().ensureActive()
    return poll(cost)
}

private suspend fun Limiter.waitForPermit(cost: Cost, maxWait: Duration): Permit =
    suspendCancellableCoroutine { continuation ->
        val resume = { permit: Permit?, refused: Throwable? ->
            if (permit != null) {
                continuation.resume(permit) { _, unused, _ -> unused.notSent() }
            } else {
                continuation.resumeWithException(checkNotNull(refused))
            }
        }
        val place =
            if (queues(continuation.context)) {
                acquireAsync(cost, maxWait.toJavaDuration(), resume)
            } else {
                acquireAsync(cost, maxWait.toJavaDuration()).also { it.whenComplete(resume) }
            }
        continuation.invokeOnCancellation { place.cancel(false) }
    }

/** Whether the dispatcher is known to queue what it is given: others may run it at once, or block. */
private fun queues(context: CoroutineContext): Boolean {
    val dispatcher = context[ContinuationInterceptor]
    return dispatcher === Dispatchers.Default || dispatcher === Dispatchers.IO
}
