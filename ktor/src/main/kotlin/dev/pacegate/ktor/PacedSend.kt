package dev.pacegate.ktor

import dev.pacegate.adapter.PacedCall
import dev.pacegate.adapter.PacedRequest
import dev.pacegate.adapter.RequestPacing
import io.ktor.client.HttpClient
import io.ktor.client.call.HttpClientCall
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.client.request.HttpRequestData
import io.ktor.client.request.HttpRequestPipeline
import io.ktor.client.request.HttpSendPipeline
import io.ktor.http.Headers
import io.ktor.util.AttributeKey
import io.ktor.util.pipeline.PipelineContext
import io.ktor.util.pipeline.PipelinePhase
import kotlinx.coroutines.cancel
import kotlinx.coroutines.job

/**
 * Stands on both sides of the engine, in the pipeline that each request passes once. What sends
 * further requests, such as redirects and retries, stands above that pipeline, and caches stand in
 * it before this.
 */
internal class PacedSend(
    private val client: HttpClient,
    private val pacing: RequestPacing<HttpRequestData, PeerResponse>,
) {

    fun install() {
        client.requestPipeline.intercept(HttpRequestPipeline.Before) {
            context.attributes.put(CALL, pacing.newCall())
        }
        val waiting = PipelinePhase("PacedKtorWaiting")
        val receiving = PipelinePhase("PacedKtorReceiving")
        with(client.sendPipeline) {
            insertPhaseBefore(HttpSendPipeline.Engine, waiting)
            insertPhaseAfter(HttpSendPipeline.Engine, receiving)
            intercept(HttpSendPipeline.Before) { context.attributes.put(HEADERS, context.headers.build()) }
            intercept(waiting) { send() }
            intercept(receiving) { receive() }
        }
    }

    private suspend fun PipelineContext<Any, HttpRequestBuilder>.send() {
        val call = context.attributes.computeIfAbsent(CALL) { pacing.newCall() }
        val request = call.await(context.build(), client.coroutineContext.job)
        context.attributes.put(SENT, request)
        try {
            request.sending()
            proceed()
        } catch (failure: Throwable) {
            request.failed(failure)
            throw failure
        } finally {
            if (context.attributes.getOrNull(SENT) === request) {
                context.attributes.remove(SENT)
                request.notSent() // a plugin has responded in place of the engine
            }
        }
    }

    private suspend fun PipelineContext<Any, HttpRequestBuilder>.receive() {
        val call = subject as? HttpClientCall ?: return
        val request = context.attributes.getOrNull(SENT) ?: return
        context.attributes.remove(SENT)
        val received = ReceivedResponse(call, request)
        if (received.isForCaller()) {
            proceedWith(received.call)
        } else {
            call.cancel()
            finish()
            proceedWith(sendAgain(context))
        }
    }

    /** As the peer has refused it: the plugins between the caller and this do not see that. */
    private suspend fun sendAgain(request: HttpRequestBuilder): Any {
        request.headers.clear() // without those that this pipeline has added
        request.headers.appendAll(request.attributes[HEADERS])
        return client.sendPipeline.execute(request, request.body)
    }

    private companion object {
        /** The call of the user, which further requests inherit. */
        val CALL = AttributeKey<PacedCall<HttpRequestData, PeerResponse>>("PacedKtorCall")

        /** The request that the engine has, until its response is here. */
        val SENT = AttributeKey<PacedRequest<PeerResponse>>("PacedKtorSent")

        /** The headers as they were before this pipeline. */
        val HEADERS = AttributeKey<Headers>("PacedKtorHeaders")
    }
}
