package dev.pacegate.ktor

import dev.pacegate.adapter.PacedRequest
import io.ktor.client.call.HttpClientCall
import io.ktor.client.call.replaceResponse
import io.ktor.client.plugins.sse.SSEClientContent
import io.ktor.client.statement.HttpResponse
import io.ktor.http.HttpHeaders
import io.ktor.http.HttpMethod
import io.ktor.http.HttpStatusCode
import io.ktor.http.contentLength
import io.ktor.http.isSuccess
import io.ktor.util.toMap
import io.ktor.utils.io.ByteReadChannel
import io.ktor.utils.io.InternalAPI
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.cancel
import kotlinx.coroutines.job
import kotlinx.coroutines.withTimeoutOrNull

/** A response whose body, or session, ends its permit. */
@OptIn(InternalAPI::class)
internal class ReceivedResponse(
    private val received: HttpClientCall,
    private val request: PacedRequest<PeerResponse>,
) {
    private val response: HttpResponse = received.response
    private val read = PeerResponse(response.status, response.headers)
    private val channel: TrackedChannel? = if (hasBody()) tracked() else null

    /** What goes to the caller. */
    val call: HttpClientCall =
        if (channel == null) received else received.replaceResponse { channel }

    private fun hasBody(): Boolean =
        received.request.method != HttpMethod.Head &&
            response.status.value >= 200 &&
            response.status !in BODILESS &&
            response.contentLength() != 0L &&
            !isSession()

    /** The engine gives it to the caller as an object of its own, in place of a channel. */
    private fun isSession(): Boolean =
        response.status == HttpStatusCode.SwitchingProtocols ||
            received.request.content is SSEClientContent &&
                response.rawContent === ByteReadChannel.Empty

    private fun tracked(): TrackedChannel {
        val copy = if (request.shouldCopy()) read else null
        return TrackedChannel(response.rawContent, request, copy, response.contentLength() ?: -1)
    }

    /** Reports the response; returns false if the request is to be sent again. */
    suspend fun isForCaller(): Boolean {
        try {
            request.headers(response.status.value, response.headers.toMap())
            watchEnd()
            if (!request.shouldRetry()) readAhead()
            if (!request.shouldRetry()) report()
            if (request.shouldRetry()) channel?.collectRest()
            return !request.shouldRetry()
        } catch (failure: Throwable) { // of a function of the user, or cancelled
            request.failed(failure)
            received.cancel("the response was dropped", failure)
            throw failure
        }
    }

    private fun watchEnd() {
        val job = response.coroutineContext.job
        when {
            channel != null -> job.invokeOnCompletion { channel.left() }
            isSession() -> job.invokeOnCompletion { request.bodyEnded() }
            else -> request.bodyEnded()
        }
    }

    /** The caller does not read that of a redirect, and often not that of an error. */
    private suspend fun readAhead() {
        if (request.shouldCollect()) {
            channel?.collect(PeerResponse.MOST_BYTES)
        } else if (!response.status.isSuccess()) {
            channel?.collectRest()
        }
    }

    private fun report() {
        if (response.status in REDIRECTS && response.headers.contains(HttpHeaders.Location)) {
            request.superseded()
        } else {
            request.received(read)
        }
    }

    private suspend fun TrackedChannel.collectRest() {
        withTimeoutOrNull(LONGEST_REST) { collect(MOST_REST) }
    }

    private companion object {
        val BODILESS = setOf(HttpStatusCode.NoContent, HttpStatusCode.NotModified)
        val REDIRECTS =
            setOf(
                HttpStatusCode.MovedPermanently,
                HttpStatusCode.Found,
                HttpStatusCode.SeeOther,
                HttpStatusCode.TemporaryRedirect,
                HttpStatusCode.PermanentRedirect,
            )
        const val MOST_REST = 64 * 1024
        val LONGEST_REST = 1.seconds
    }
}
