package dev.pacegate.ktor

import dev.pacegate.Limiter
import dev.pacegate.PeerAnswer
import dev.pacegate.PeerVerdict
import dev.pacegate.adapter.tck.RawServer
import dev.pacegate.limit.Cost
import io.ktor.client.plugins.ClientRequestException
import io.ktor.client.plugins.HttpRequestRetry
import io.ktor.client.request.get
import io.ktor.client.request.header
import io.ktor.client.request.post
import io.ktor.client.request.prepareGet
import io.ktor.client.request.setBody
import io.ktor.client.statement.bodyAsText
import io.ktor.client.statement.readRawBytes
import io.ktor.http.HttpHeaders
import io.ktor.http.HttpStatusCode
import io.ktor.http.headersOf
import java.io.ByteArrayOutputStream
import java.util.concurrent.atomic.AtomicInteger
import java.util.zip.GZIPOutputStream
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource

/** What a response says about the limit, and about the cost of its request. */
internal class RefusalsTest : KtorCases() {

    private val turns = AtomicInteger()

    /** Refuses the first requests. */
    private fun refusing(times: Int, body: String = "slow down") = server { _, connection ->
        if (turns.getAndIncrement() < times) {
            connection.write(
                "HTTP/1.1 429 X\r\nContent-Length: ${body.length}\r\n\r\n$body"
            )
        } else {
            connection.ok("hello")
        }
    }

    @Test
    fun `a refusal pauses the limiter`() = runBlocking {
        val server = server { _, connection -> connection.status(429, "Retry-After: 3600") }
        client().get(server.url())
        assertPermits(1)
        assertEquals(1, limiter.snapshot().refusedByPeer())
        assertTrue(limiter.estimateWait(1).toMinutes() >= 1)
    }

    @ParameterizedTest
    @ValueSource(booleans = [false, true])
    fun `a refused request is sent again with a permit of its own`(streamed: Boolean) = runBlocking {
        val server = refusing(2)
        val client = client { retryRefused(2) }
        val call = client.prepareGet(server.url()) { header("X-Mine", "1") }
        val text = if (streamed) call.execute { it.bodyAsText() } else call.execute().bodyAsText()
        assertEquals("hello", text)
        assertPermits(3)
        assertEquals(2, limiter.snapshot().refusedByPeer())
        server.requests().forEach { assertEquals("1", it.headers()["x-mine"]) }
    }

    @Test
    fun `the last refusal is returned`() = runBlocking {
        val server = refusing(9)
        val response = client { retryRefused(2) }.get(server.url())
        assertEquals(429, response.status.value)
        assertEquals("slow down", response.bodyAsText())
        assertPermits(3)
    }

    @Test
    fun `a POST is sent again only if that is chosen`() = runBlocking {
        val server = refusing(1)
        assertEquals(429, client { retryRefused(2) }.post(server.url()) { setBody("a") }.status.value)
        turns.set(0)
        val chosen = client { retryRefused(2) { true } }
        assertEquals("hello", chosen.post(server.url()) { setBody("b") }.bodyAsText())
        assertEquals(listOf("a", "b", "b"), server.requests().map { it.body() })
        assertPermits(3)
    }

    @Test
    fun `retries of Ktor do not see what is sent again`() = runBlocking {
        val server = refusing(2)
        val client =
            client({ install(HttpRequestRetry) { retryIf(9) { _, it -> it.status.value == 429 } } }) {
                retryRefused(2)
            }
        assertEquals("hello", client.get(server.url()).bodyAsText())
        assertPermits(3)
    }

    @Test
    fun `a refusal in a body is read, and the caller gets the body`() = runBlocking {
        val server = server { _, connection ->
            connection.ok(if (turns.getAndIncrement() == 0) "code 10006" else "hello")
        }
        val client = client {
            retryRefused(1)
            refused {
                if ("10006" in it.text()) PeerAnswer.of(PeerVerdict.REFUSED) else PeerAnswer.NOTHING
            }
        }
        assertEquals("hello", client.get(server.url()).bodyAsText())
        client.prepareGet(server.url()).execute { assertEquals("hello", it.bodyAsText()) }
        assertPermits(3)
        assertEquals(1, limiter.snapshot().refusedByPeer())
    }

    @Test
    fun `a refusal in a body is read where errors are thrown`() {
        val server = server { _, connection ->
            connection.write("HTTP/1.1 400 X\r\nContent-Length: 10\r\n\r\nThrottling")
        }
        val client =
            client({ expectSuccess = true }) {
                refused {
                    if ("Throttling" in it.text()) PeerAnswer.of(PeerVerdict.REFUSED) else null
                }
            }
        assertThrows(ClientRequestException::class.java) { runBlocking { client.get(server.url()) } }
        assertPermits(1)
        assertEquals(1, limiter.snapshot().refusedByPeer())
    }

    private fun assertSpent(tokens: Limiter, spent: Long) = runBlocking {
        await { tokens.snapshot().open() == 0 }
        assertEquals(0, tokens.snapshot().lost())
        assertTrue(tokens.bottleneck(Cost.of("tokens", 1000 - spent)).isEmpty)
        assertTrue(tokens.bottleneck(Cost.of("tokens", 1001 - spent)).isPresent)
    }

    private fun gzip(text: String): ByteArray {
        val bytes = ByteArrayOutputStream()
        GZIPOutputStream(bytes).use { it.write(text.toByteArray()) }
        return bytes.toByteArray()
    }

    private fun answering(body: ByteArray, vararg headers: String) = server { _, connection ->
        val lines = headers.joinToString("") { "$it\r\n" }
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: ${body.size}\r\n$lines\r\n")
        connection.socket().getOutputStream().write(body)
    }

    @ParameterizedTest
    @ValueSource(booleans = [false, true])
    fun `a cost is settled from the body`(streamed: Boolean) = runBlocking {
        val tokens = Limiter.of("peer(1000/1h of tokens)")
        val zipped = gzip("used 7")
        val server = answering(zipped, "Content-Encoding: gzip")
        val client = client {
            limiter(tokens)
            cost { Cost.of("tokens", 100) }
            settle { response, _ -> Cost.of("tokens", response.text().removePrefix("used ").toLong()) }
        }
        val call = client.prepareGet(server.url())
        val body: ByteArray =
            if (streamed) call.execute { it.readRawBytes() } else call.execute().readRawBytes()
        assertArrayEquals(zipped, body)
        assertSpent(tokens, 7)
    }

    @ParameterizedTest
    @ValueSource(booleans = [false, true])
    fun `a cost is settled from the events of a stream`(compressed: Boolean) = runBlocking {
        val tokens = Limiter.of("peer(1000/1h of tokens)")
        val text = "data: 3\n\ndata: 8\n\ndata: [DONE]\n\n"
        val type = "Content-Type: text/event-stream"
        val server =
            if (compressed) answering(gzip(text), type, "Content-Encoding: gzip")
            else answering(text.toByteArray(), type)
        val client = client {
            limiter(tokens)
            cost { Cost.of("tokens", 100) }
            settleText { data, _ -> Cost.of("tokens", data.toLong()) }
        }
        client.prepareGet(server.url()).execute { it.readRawBytes() }
        assertSpent(tokens, 8)
    }

    @Test
    fun `a redirect stays at the estimate`() = runBlocking {
        val tokens = Limiter.of("peer(1000/1h of tokens)")
        val server = server { request: RawServer.Received, connection ->
            if (request.path() == "/") connection.ok("hello") else connection.status(302, "Location: /")
        }
        val client = client {
            limiter(tokens)
            cost { Cost.of("tokens", 100) }
            settle { _, _ -> Cost.of("tokens", 5) }
        }
        assertEquals("hello", client.get(server.url("/moved")).bodyAsText())
        assertSpent(tokens, 105)
    }

    @Test
    fun `functions that fail end no call`() = runBlocking {
        val server = server { _, connection -> connection.ok("hello") }
        val client = client {
            settle { _, _ -> error("broken") }
            refused { error("broken") }
        }
        assertEquals("hello", client.get(server.url()).bodyAsText())
        assertPermits(1)
    }

    @Test
    fun `a choice of retries that fails ends the call and its permit`() {
        val server = refusing(1)
        val client = client { retryRefused(1) { error("broken") } }
        val failure =
            assertThrows(IllegalStateException::class.java) { runBlocking { client.get(server.url()) } }
        assertEquals("broken", failure.message)
        runBlocking { await { limiter.snapshot().open() == 0 } }
    }

    @Test
    fun `a function of costs that fails ends the call without a permit`() {
        val server = refusing(0)
        val client = client {
            cost { error("broken") }
            maxWait(1.milliseconds)
        }
        assertThrows(IllegalStateException::class.java) { runBlocking { client.get(server.url()) } }
        assertPermits(0)
        assertEquals(0, server.arrivals())
    }

    @Test
    fun `a body that unpacks to more than is kept is cut`() {
        val packed = ByteArrayOutputStream()
        GZIPOutputStream(packed).use { it.write(ByteArray(PeerResponse.MOST_BYTES + 1)) }
        val response = PeerResponse(HttpStatusCode.OK, headersOf(HttpHeaders.ContentEncoding, "gzip"))
        response.add(packed.toByteArray(), 0, packed.size())
        assertEquals(PeerResponse.MOST_BYTES, response.body().size)
    }
}
