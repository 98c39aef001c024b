package dev.pacegate.ktor

import dev.pacegate.adapter.PacedCall
import dev.pacegate.adapter.PacedRequest
import io.ktor.client.engine.ClientEngineClosedException
import io.ktor.client.request.HttpRequestData
import java.util.concurrent.CompletableFuture
import kotlin.coroutines.resumeWithException
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.launch
import kotlinx.coroutines.suspendCancellableCoroutine

/**
 * Waits for the permit of a request. Both the coroutine and Ktor's job of the request leave the
 * queue when they are cancelled: a time-out cancels the job alone. So does closing the client,
 * whose job is [client]: Ktor does not send a request afterwards.
 */
internal suspend fun PacedCall<HttpRequestData, PeerResponse>.await(
    request: HttpRequestData,
    client: Job,
): PacedRequest<PeerResponse> {
    val job = request.executionContext
    job.ensureActive()
    val place = acquireAsync(request)
    val watch = if (place.isDone) null else cancelWith(job, place)
    val closing = client.invokeOnCompletion { place.cancel(false) }
    val granted =
        try {
            place.await()
        } catch (cancelled: CancellationException) {
            if (job.isCancelled) job.ensureActive() // throws what cancelled it; closing completes it
            currentCoroutineContext().ensureActive()
            throw if (client.isCompleted) ClientEngineClosedException(cancelled) else cancelled
        } finally {
            closing.dispose()
            watch?.cancel()
        }
    if (!job.isActive) granted.notSent()
    job.ensureActive()
    return granted
}

private fun cancelWith(job: Job, place: CompletableFuture<*>): Job =
    // Undispatched, so that it begins even if the job has been cancelled meanwhile.
    CoroutineScope(job + Dispatchers.Unconfined).launch(start = CoroutineStart.UNDISPATCHED) {
        try {
            awaitCancellation()
        } finally {
            place.cancel(false)
        }
    }

private suspend fun CompletableFuture<PacedRequest<PeerResponse>>.await():
    PacedRequest<PeerResponse> =
    suspendCancellableCoroutine { continuation ->
        continuation.invokeOnCancellation { cancel(false) }
        whenComplete { granted: PacedRequest<PeerResponse>?, refused: Throwable? ->
            if (granted != null) {
                continuation.resume(granted) { _, unused, _ -> unused.notSent() }
            } else {
                continuation.resumeWithException(checkNotNull(refused))
            }
        }
    }
