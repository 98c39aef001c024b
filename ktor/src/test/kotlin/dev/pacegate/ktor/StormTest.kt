package dev.pacegate.ktor

import dev.pacegate.Limiter
import dev.pacegate.PeerAnswer
import dev.pacegate.adapter.tck.RawServer
import dev.pacegate.limit.Cost
import io.ktor.client.HttpClient
import io.ktor.client.plugins.HttpRequestRetry
import io.ktor.client.plugins.HttpTimeout
import io.ktor.client.plugins.timeout
import io.ktor.client.request.prepareGet
import io.ktor.client.request.url
import io.ktor.client.statement.bodyAsChannel
import io.ktor.client.statement.bodyAsText
import io.ktor.utils.io.readAvailable
import java.time.Duration
import kotlin.random.Random
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/**
 * Calls that are redirected, refused, cut, stalled, left, cancelled and timed out at random: what
 * arrives is never above the limit, and nothing is left open or waiting.
 */
@Timeout(300)
internal class StormTest : KtorCases() {

    private val enough = 3 * Integer.getInteger("pacegate.volume", 100)
    private val seed = java.lang.Long.getLong("pacegate.seed", System.nanoTime())
    private val random = Random(seed)
    private val fates = Random(seed.inv())
    private var lost = 0L

    private fun answer(request: RawServer.Received, connection: RawServer.Connection) {
        when (synchronized(fates) { fates.nextInt(16) }) {
            0 -> connection.close()
            1 -> connection.reset()
            2 -> connection.socket().getInputStream().read() // stalls
            3 -> {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf")
                connection.close()
            }
            4 -> connection.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf") // stalls
            5 -> connection.status(302, "Location: ${request.path()}")
            6 -> connection.status(307, "Location: ${request.path()}")
            7 -> connection.status(401)
            8 -> connection.status(503, "Retry-After: 0")
            9 -> connection.status(429)
            10 -> connection.write("nonsense\r\n\r\n")
            else -> connection.ok("hello")
        }
    }

    private fun stormy(storm: Limiter) =
        client({
            install(HttpTimeout)
            install(PermitsTest.CREDENTIALS)
            install(HttpRequestRetry) {
                retryOnExceptionOrServerErrors(maxRetries = 2)
                delayMillis { 1 }
            }
        }) {
            limiter(storm)
            maxWait(Duration.ofMillis(500)) // those who wait when no permit is left
            retryRefused(1)
            refused { PeerAnswer.NOTHING }
            settle { response, _ -> Cost.ONE.takeIf { response.body().isNotEmpty() } }
        }

    @Test
    fun `the limit is kept, and nothing is left`() = runBlocking {
        var arrived = 0
        while (arrived < enough) arrived += storm()
        assertTrue(lost > 0, "none is lost, seed $seed")
    }

    private suspend fun storm(): Int {
        // No permit comes back, so it does not matter how late a machine that stalls counts a request:
        // callers wait for those that are under way.
        val storm = Limiter.of("peer($LIMIT/1h) & concurrent(8)")
        val server = server(::answer)
        val client = stormy(storm)
        repeat(ROUNDS) { wave(client, server.url()) }
        await { storm.snapshot().open() == 0 }
        val state = storm.snapshot()
        val arrived = server.arrivals()
        assertEquals(0, state.waiting(), "seed $seed")
        assertTrue(state.granted() >= arrived, "$arrived of $state, seed $seed")
        assertTrue(arrived <= LIMIT, "$arrived of $state, seed $seed")
        lost += state.lost()
        return arrived
    }

    private suspend fun wave(client: HttpClient, target: String) = coroutineScope {
        val jobs = List(AT_ONCE) { launch(Dispatchers.Default) { runCatching { call(client, target) } } }
        val cancelled = synchronized(random) { jobs.filter { random.nextInt(5) == 0 } }
        cancelled.forEach {
            delay(1)
            it.cancel()
        }
        jobs.joinAll()
    }

    private suspend fun call(client: HttpClient, target: String) {
        val (fate, millis) = synchronized(random) { random.nextInt(3) to 20 + random.nextLong(500) }
        val call = client.prepareGet {
            url(target)
            timeout { requestTimeoutMillis = millis }
        }
        // Ktor's own time-out does not always reach a request that HttpRequestRetry repeats.
        withTimeout(2 * millis) {
            when (fate) {
                0 -> call.execute().bodyAsText()
                1 -> call.execute { it.bodyAsText() }
                else -> call.execute { it.bodyAsChannel().readAvailable(ByteArray(1)) }
            }
        }
    }

    private companion object {
        const val LIMIT = 120
        const val AT_ONCE = 60
        const val ROUNDS = 5 // what one gives back by mistake, the next would use
    }
}
