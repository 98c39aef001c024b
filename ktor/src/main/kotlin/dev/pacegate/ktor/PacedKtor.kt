package dev.pacegate.ktor

import dev.pacegate.adapter.RequestPacing
import io.ktor.client.HttpClient
import io.ktor.client.plugins.HttpClientPlugin
import io.ktor.client.request.HttpRequestData
import io.ktor.util.AttributeKey
import java.lang.ref.WeakReference
import java.util.WeakHashMap

/**
 * A plugin by which a Ktor client sends no faster than a limit allows:
 * ```
 * val client = HttpClient(CIO) { install(PacedKtor) { limit("10/1m") } }
 * ```
 *
 * **Promise.** Every request that the client gives to its engine has a permit of its own: the first
 * one, each redirect, each round of `Auth`, each attempt of `HttpRequestRetry`, each that a plugin
 * sends, in whatever order they are installed. So one permit is one arrival at the peer, unless the
 * engine repeats a request by itself: this plugin keeps OkHttp's from that, and warns of Java's. A
 * response from `HttpCache` needs no permit.
 *
 * **Waiting.** A request waits without a thread, immediately before the engine gets it. A cancelled
 * coroutine and the request time-out of `HttpTimeout`, which includes the wait, leave the queue and
 * cost nothing. So does closing the client: its waiting requests fail with a
 * [io.ktor.client.engine.ClientEngineClosedException]. Other time-outs do not include the wait. [PacedKtorConfig.maxWait] bounds the wait for each
 * permit; a request that gets none in time fails with a [dev.pacegate.adapter.NotSentException].
 *
 * **Ends.** A permit ends with the body ([dev.pacegate.adapter.Answered]): when its last byte is in. It
 * is *not sent* if there was no connection, and *lost* if the outcome is unknown: a broken connection,
 * a time-out, a cancelled coroutine, a streamed body that is left before its end. A session of WebSocket
 * or SSE has its permit until it ends.
 *
 * The plugin of a client, `client.plugin(PacedKtor)`, pauses and resumes its limiters, and changes
 * their limit. Clients derived by `client.config { … }` share them. Thread-safe.
 */
public object PacedKtor :
    HttpClientPlugin<PacedKtorConfig, RequestPacing<HttpRequestData, PeerResponse>> {

    /** Where a client keeps its pacing: `client.plugin(PacedKtor)` reads it. */
    override val key: AttributeKey<RequestPacing<HttpRequestData, PeerResponse>> =
        AttributeKey("PacedKtor")

    /**
     * By the block that a client shares with those that are derived from it. The functions in the
     * pacing may refer to the block, so only the clients keep it.
     */
    private val pacings =
        WeakHashMap<PacedKtorConfig.() -> Unit, WeakReference<RequestPacing<HttpRequestData, PeerResponse>>>()

    /**
     * Reads the options.
     *
     * @throws IllegalStateException if neither a limit nor a limiter was given, or if options
     *   contradict each other
     */
    override fun prepare(
        block: PacedKtorConfig.() -> Unit
    ): RequestPacing<HttpRequestData, PeerResponse> {
        synchronized(pacings) { pacings[block]?.get() }?.let { return it }
        val pacing = PacedKtorConfig().apply(block).build()
        return synchronized(pacings) {
            pacings[block]?.get() ?: pacing.also { pacings[block] = WeakReference(it) }
        }
    }

    /** Puts the pacing into a client; called by Ktor. */
    override fun install(
        plugin: RequestPacing<HttpRequestData, PeerResponse>,
        scope: HttpClient,
    ) {
        keepFromRepeating(scope.engine)
        PacedSend(scope, plugin).install()
    }
}
