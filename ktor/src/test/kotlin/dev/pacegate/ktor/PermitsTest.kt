package dev.pacegate.ktor

import dev.pacegate.Limiter
import dev.pacegate.adapter.tck.RawServer
import dev.pacegate.audit.Audit
import dev.pacegate.kotlin.withPermit
import dev.pacegate.limit.Cost
import dev.pacegate.limit.Limits
import io.ktor.client.HttpClient
import io.ktor.client.HttpClientConfig
import io.ktor.client.engine.cio.CIO
import io.ktor.client.plugins.HttpRequestRetry
import io.ktor.client.plugins.HttpSend
import io.ktor.client.plugins.HttpTimeout
import io.ktor.client.plugins.api.Send
import io.ktor.client.plugins.api.createClientPlugin
import io.ktor.client.plugins.cache.HttpCache
import io.ktor.client.plugins.plugin
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.client.request.get
import io.ktor.client.request.header
import io.ktor.client.request.prepareGet
import io.ktor.client.request.url
import io.ktor.client.statement.bodyAsText
import io.ktor.client.request.HttpSendPipeline
import io.ktor.http.HttpHeaders
import io.ktor.util.AttributeKey
import io.ktor.util.pipeline.PipelinePhase
import io.ktor.utils.io.InternalAPI
import io.ktor.client.statement.HttpReceivePipeline
import java.net.ConnectException
import java.net.ServerSocket
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.MethodSource

/** Each request on the wire takes a permit of its own. */
internal class PermitsTest : KtorCases() {

    private val failures = AtomicInteger()

    /** Redirects, asks for credentials, and fails twice of three. */
    private fun awkward(request: RawServer.Received, connection: RawServer.Connection) {
        when {
            request.path() == "/moved" -> connection.status(302, "Location: /")
            "authorization" !in request.headers() ->
                connection.status(401, "WWW-Authenticate: Basic realm=\"test\"")
            failures.incrementAndGet() % 3 != 0 -> connection.status(503)
            else -> connection.ok("hello")
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("orders")
    fun `each arrival has a permit, whatever the order of plugins`(names: List<String>) = runBlocking {
        val server = server(::awkward)
        val client = closing(HttpClient(CIO) { names.forEach { installed(it) } })
        List(6) { async { client.get(server.url("/moved")).bodyAsText() } }
            .awaitAll()
            .forEach { assertEquals("hello", it) }
        assertTrue(server.arrivals() >= 18, "arrivals: ${server.arrivals()}")
        assertPermits(server.arrivals())
    }

    /** What this plugin is for. */
    @Test
    fun `one permit around a call of several requests is too few`() = runBlocking {
        val server = server(::awkward)
        val around = Limiter.of("1000/1s")
        val client =
            closing(
                HttpClient(CIO) {
                    installed("auth")
                    installed("retry")
                }
            )
        repeat(6) { around.withPermit { client.get(server.url("/moved")).bodyAsText() } }
        assertEquals(6, around.snapshot().granted())
        assertTrue(server.arrivals() >= 18, "arrivals: ${server.arrivals()}")
    }

    private fun HttpClientConfig<*>.installed(name: String) {
        when (name) {
            "paced" -> install(PacedKtor) { standard() }
            "retry" ->
                install(HttpRequestRetry) {
                    retryOnServerErrors(maxRetries = 30)
                    delayMillis { 1 }
                }
            "time-out" -> install(HttpTimeout) { requestTimeoutMillis = 50_000 }
            "auth" -> install(CREDENTIALS)
            "send" -> install("send") { plugin(HttpSend).intercept { execute(it) } }
        }
    }

    @Test
    fun `a limit of ten is never passed by retries`() = runBlocking {
        val limit = "peer(10/100ms, unanswered=1h)"
        val server = server(::awkward)
        val client =
            closing(
                HttpClient(CIO) {
                    install(PacedKtor) { limiter(Limiter.of(limit)) }
                    installed("auth")
                    installed("retry")
                }
            )
        List(20) { async { client.get(server.url("/moved")).bodyAsText() } }.awaitAll()
        val audit = Audit.of(Limits.parse("10/100ms"))
        server.instants().forEach { audit.add(it, it, Cost.ONE) }
        assertTrue(audit.report().kept(), audit.report().text())
    }

    @Test
    fun `a response from the cache takes no permit`() = runBlocking {
        val server = server { _, connection ->
            connection.write(
                "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 5\r\n\r\nhello"
            )
        }
        val client = client({ install(HttpCache) })
        repeat(3) { assertEquals("hello", client.get(server.url()).bodyAsText()) }
        assertEquals(1, server.arrivals())
        assertPermits(1)
    }

    @Test
    fun `a response that is validated takes a permit`() = runBlocking {
        val server = server { request, connection ->
            if ("if-none-match" in request.headers()) {
                connection.status(304, "ETag: \"a\"")
            } else {
                connection.write(
                    "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nCache-Control: max-age=0\r\nContent-Length: 5\r\n\r\nhello"
                )
            }
        }
        val client = client({ install(HttpCache) })
        repeat(3) { assertEquals("hello", client.get(server.url()).bodyAsText()) }
        assertPermits(server.arrivals())
    }

    @Test
    fun `a plugin that responds in place of the engine costs nothing`() = runBlocking {
        val server = server { _, connection -> connection.ok("hello") }
        val client = client({ install("stored") { respondTwice(this) } })
        repeat(4) { assertEquals("hello", client.get(server.url()).bodyAsText()) }
        assertEquals(1, server.arrivals())
        await { limiter.snapshot().open() == 0 }
        assertTrue(limiter.estimateWait(999).isZero)
    }

    /** Stands behind the place where requests wait. */
    private fun respondTwice(client: HttpClient) {
        var first: Any? = null
        val last = PipelinePhase("Last")
        client.sendPipeline.insertPhaseBefore(HttpSendPipeline.Engine, last)
        client.sendPipeline.intercept(last) {
            val stored = first
            if (stored == null) {
                first = proceed()
            } else {
                finish()
                proceedWith(stored)
            }
        }
    }

    @Test
    fun `a refused connection gives its permit back`() {
        val port = ServerSocket(0).use { it.localPort }
        val client = client()
        assertThrows(Exception::class.java) { runBlocking { client.get("http://localhost:$port/") } }
        assertTrue(limiter.estimateWait(1000).isZero)
        assertPermits(1)
    }

    @Test
    fun `a failure after the response gives no permit back`() = runBlocking {
        val server = server { _, connection -> connection.ok("hello") }
        val client = client({
            install("other") {
                receivePipeline.intercept(HttpReceivePipeline.Before) {
                    throw ConnectException("to another server")
                }
            }
        })
        assertThrows(ConnectException::class.java) {
            runBlocking { client.prepareGet(server.url()).execute { it.bodyAsText() } }
        }
        assertEquals(1, server.arrivals())
        await { limiter.snapshot().open() == 0 }
        assertTrue(!limiter.estimateWait(1000).isZero)
    }

    @Test
    fun `an unknown host gives its permit back`() {
        val client = client()
        assertThrows(Exception::class.java) { runBlocking { client.get("http://no-such-host.invalid/") } }
        assertTrue(limiter.estimateWait(1000).isZero)
        assertPermits(1)
    }

    @Test
    fun `a derived client shares the limits`() = runBlocking {
        val server = server { _, connection -> connection.ok("hello") }
        val first = closing(HttpClient(CIO) { install(PacedKtor) { limit("10/1h") } })
        val derived = closing(first.config { expectSuccess = true })
        repeat(5) { first.get(server.url()).bodyAsText() }
        repeat(5) { derived.get(server.url()).bodyAsText() }
        val pacing = first.plugin(PacedKtor)
        assertSame(pacing, derived.plugin(PacedKtor))
        val request = HttpRequestBuilder().apply { url(server.url()) }.build()
        assertTrue(!pacing.limiter(request).estimateWait(1).isZero)
        assertEquals(1, pacing.limiters().size())
    }

    @Test
    fun `a client without a limit is refused`() {
        val refused =
            assertThrows(IllegalStateException::class.java) { HttpClient(CIO) { install(PacedKtor) } }
        assertEquals("a paced client needs a limit: call limit or limiter", refused.message)
    }

    @Test
    fun `a request is charged what the attributes of its call say`() = runBlocking {
        val server = server(::awkward)
        failures.set(2) // the next one is good
        val key = AttributeKey<Long>("tokens")
        val client = client({ installed("auth") }) { cost { Cost.of(it.attributes.getOrNull(key) ?: 1) } }
        client.get(server.url("/moved")) { attributes.put(key, 100) }
        assertEquals(3, server.arrivals())
        assertTrue(limiter.estimateWait(1000 - 100L * server.arrivals()).isZero)
        assertTrue(!limiter.estimateWait(1001 - 100L * server.arrivals()).isZero)
    }

    internal companion object {

        /** As `Auth` does. */
        @OptIn(InternalAPI::class)
        val CREDENTIALS =
            createClientPlugin("Credentials") {
                on(Send) { request ->
                    val asked = HttpRequestBuilder().takeFromWithExecutionContext(request)
                    val call = proceed(request)
                    if (call.response.status.value == 401) {
                        proceed(asked.apply { header(HttpHeaders.Authorization, "x") })
                    } else {
                        call
                    }
                }
            }

        @JvmStatic
        fun orders(): List<List<String>> =
            (0..4).flatMap { at ->
                val others = listOf("retry", "auth", "time-out", "send")
                listOf(others, others.reversed()).map { it.take(at) + "paced" + it.drop(at) }
            }
    }
}
