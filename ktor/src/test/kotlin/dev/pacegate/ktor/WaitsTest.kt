package dev.pacegate.ktor

import dev.pacegate.Limiter
import dev.pacegate.adapter.NotSentException
import dev.pacegate.limit.Cost
import io.ktor.client.HttpClient
import io.ktor.client.engine.cio.CIO
import io.ktor.client.plugins.HttpRequestRetry
import io.ktor.client.plugins.HttpRequestTimeoutException
import io.ktor.client.plugins.HttpTimeout
import io.ktor.client.request.get
import io.ktor.client.statement.bodyAsText
import java.util.concurrent.Executors
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancel
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** Requests that wait, and leave the queue. */
internal class WaitsTest : KtorCases() {

    private val one = Limiter.of("peer(1/1h)")

    private fun stalling() = server { _, connection -> connection.socket().getInputStream().read() }

    private fun ok() = server { _, connection -> connection.ok("hello") }

    private fun one(more: PacedKtorConfig.() -> Unit = {}) =
        client({ install(HttpTimeout) }) {
            limiter(one)
            more()
        }

    @Test
    fun `of two hundred cancelled coroutines nothing is left`() = runBlocking {
        val few = Limiter.of("peer(20/1h, unanswered=1ms)")
        val server = stalling()
        val client = client { limiter(few) }
        val jobs = List(200) { launch(Dispatchers.Default) { client.get(server.url()) } }
        await { server.arrivals() == 20 && few.snapshot().waiting() == 180 }
        jobs.forEach { it.cancel() }
        jobs.joinAll()
        await { few.snapshot().open() == 0 }
        assertEquals(0, few.snapshot().waiting())
        assertEquals(20, few.snapshot().granted())
        assertEquals(20, server.arrivals())
    }

    @Test
    fun `one thread waits for many requests`() = runBlocking {
        val server = ok()
        val client = client { limiter(Limiter.of("peer(20/20ms)")) }
        val thread = closing(Executors.newSingleThreadExecutor().asCoroutineDispatcher())
        val texts = List(200) { async(thread) { client.get(server.url()).bodyAsText() } }
        assertEquals(200, texts.awaitAll().count { it == "hello" })
    }

    @Test
    fun `the request time-out of Ktor leaves the queue`() = runBlocking {
        val server = ok()
        val client = one()
        client.get(server.url()).bodyAsText()
        val late =
            closing(client.config { install(HttpTimeout) { requestTimeoutMillis = 30 } })
        assertThrows(HttpRequestTimeoutException::class.java) { runBlocking { late.get(server.url()) } }
        await { one.snapshot().waiting() == 0 } // the caller may be told first
        assertEquals(1, one.snapshot().granted())
    }

    @Test
    fun `withTimeout leaves the queue`() = runBlocking {
        val server = ok()
        val client = one()
        client.get(server.url()).bodyAsText()
        assertNull(withTimeoutOrNull(30.milliseconds) { client.get(server.url()) })
        assertEquals(0, one.snapshot().waiting())
        assertEquals(1, one.snapshot().granted())
    }

    @Test
    fun `a client that is cancelled leaves the queue`() = runBlocking {
        val server = ok()
        val client = one()
        client.get(server.url()).bodyAsText()
        val waiting = launch(Dispatchers.Default) { runCatching { client.get(server.url()) } }
        await { one.snapshot().waiting() == 1 }
        client.cancel()
        waiting.join()
        await { one.snapshot().waiting() == 0 }
        assertEquals(1, server.arrivals())
    }

    @Test
    fun `a request that is cancelled as it joins the queue leaves it`() {
        val server = ok()
        val client = one {
            cost { request ->
                if (request.url.encodedPath == "/stop") request.executionContext.cancel()
                Cost.ONE
            }
        }
        runBlocking { client.get(server.url()).bodyAsText() }
        val stopped =
            assertThrows(CancellationException::class.java) {
                runBlocking { withTimeout(20.seconds) { client.get(server.url("/stop")) } }
            }
        assertFalse(stopped is TimeoutCancellationException)
        runBlocking { await { one.snapshot().waiting() == 0 } }
        assertEquals(1, one.snapshot().granted())
    }

    @Test
    fun `a wait that is too long is refused`() = runBlocking {
        val server = ok()
        val client = one { maxWait(50.milliseconds) }
        client.get(server.url()).bodyAsText()
        val refused =
            assertThrows(NotSentException::class.java) { runBlocking { client.get(server.url()) } }
        assertTrue(refused.message!!.startsWith("not sent: no permit within 50ms"), refused.message)
        assertTrue(refused.atLeast().isPresent)
        assertEquals(1, server.arrivals())
    }

    @Test
    fun `a retry of the caller may leave refusals out`() = runBlocking {
        val server = ok()
        val client =
            client({
                install(HttpRequestRetry) {
                    retryOnExceptionIf(maxRetries = 3) { _, cause -> cause !is NotSentException }
                }
            }) {
                limiter(one)
                maxWait(1.milliseconds)
            }
        client.get(server.url()).bodyAsText()
        assertThrows(NotSentException::class.java) { runBlocking { client.get(server.url()) } }
        assertEquals(1, server.arrivals())
    }

    @Test
    fun `a request that is cancelled after it was sent is lost`() = runBlocking {
        val server = stalling()
        val client = client()
        val call = launch(Dispatchers.Default) { client.get(server.url()) }
        await { server.arrivals() == 1 }
        call.cancelAndJoin()
        assertPermits(1, lost = 1)
    }

    @Test
    fun `a request that times out after it was sent is lost`() {
        val server = stalling()
        val client = closing(HttpClient(CIO) {
            install(HttpTimeout) { requestTimeoutMillis = 200 }
            install(PacedKtor) { standard() }
        })
        assertThrows(HttpRequestTimeoutException::class.java) { runBlocking { client.get(server.url()) } }
        assertPermits(1, lost = server.arrivals().toLong())
    }
}
