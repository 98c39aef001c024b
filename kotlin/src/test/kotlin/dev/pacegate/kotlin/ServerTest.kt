package dev.pacegate.kotlin

import com.sun.net.httpserver.HttpExchange
import com.sun.net.httpserver.HttpServer
import dev.pacegate.Limiter
import dev.pacegate.audit.Audit
import dev.pacegate.limit.Cost
import dev.pacegate.limit.Limits
import java.io.IOException
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.net.http.HttpResponse.BodyHandlers
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger
import kotlin.random.Random
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.cancel
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.flatMapMerge
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.retry
import kotlinx.coroutines.future.await
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Assumptions.assumeFalse
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** A real server counts what arrives, and answers late, or with an error. */
@Timeout(60)
class ServerTest {

    private val counted = ConcurrentLinkedQueue<LongArray>()
    private val answered = AtomicInteger()
    @Volatile private var late = false
    private val threads = Executors.newCachedThreadPool()
    private val server = HttpServer.create(InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 500)
    private val client = HttpClient.newHttpClient()
    private val limiter = Limiter.of(LIMIT)

    init {
        server.executor = threads
        server.createContext("/", ::answer)
        server.start()
    }

    @AfterEach
    fun stop() {
        server.stop(0)
        threads.shutdownNow()
        assertNothingLeft(limiter)
        assertKept()
    }

    private fun answer(exchange: HttpExchange) = exchange.use {
        val arrival = System.nanoTime()
        val sent = exchange.requestHeaders.getFirst(SENT).toLong()
        Thread.sleep(Random.nextLong(40)) // the work of the server
        val done = System.nanoTime()
        if (done - sent > HALF_A_SECOND) late = true
        counted += longArrayOf(arrival, done)
        it.sendResponseHeaders(if (Random.nextInt(4) == 0) 500 else 204, -1)
    }

    private suspend fun send(): HttpResponse<Void> {
        val uri = URI.create("http://localhost:${server.address.port}/")
        val request = HttpRequest.newBuilder(uri).header(SENT, "${System.nanoTime()}").build()
        val response = client.sendAsync(request, BodyHandlers.discarding()).await()
        if (response.statusCode() != 204) throw Refused()
        answered.incrementAndGet()
        return response
    }

    @Test
    fun `under retries, time-outs and cancellation the server never counts too many`() = runBlocking {
        val jobs = List(90) { i -> launch(Dispatchers.Default) { caller(i) } }
        awaitAnswers(20) // so requests are under way and others wait
        jobs.filterIndexed { i, _ -> i % 3 == 0 }.forEach { it.cancel() }
        withTimeout(50_000) { jobs.joinAll() }
        val patient = jobs.indices.count { it % 4 == 3 && it % 3 != 0 } // the others may give up
        assertTrue(answered.get() >= 2 * patient, "answered: $answered")
    }

    private suspend fun awaitAnswers(most: Int) =
        withTimeout(50_000) { while (answered.get() < most) delay(5) }

    private suspend fun caller(number: Int) {
        repeat(2) {
            when (number % 4) {
                0 -> attempt { withTimeoutOrNull(30.milliseconds) { limiter.withPermit { send() } } }
                1 -> attempt { limiter.withPermit { withTimeout(20.milliseconds) { send() } } }
                2 -> attempt { limiter.withPermit(maxWait = 300.milliseconds) { send() } }
                else -> while (!attempt { limiter.withPermit { send() } }) yield()
            }
        }
    }

    /** Returns whether there is no need to try again. */
    private suspend fun attempt(block: suspend () -> Unit): Boolean =
        try {
            block()
            true
        } catch (failure: Exception) {
            currentCoroutineContext().ensureActive()
            failure is TimeoutCancellationException
        }

    @OptIn(ExperimentalCoroutinesApi::class)
    @Test
    fun `a flow with eight requests at a time, retried and cut off, keeps the limit`() = runBlocking {
        val scope = CoroutineScope(Dispatchers.Default)
        val requests =
            (1..10_000).asFlow().flatMapMerge(8) {
                flow { emit(limiter.withPermit { send() }) }.retry { failure -> failure is Refused }
            }
        val collecting = scope.launch { requests.collect() }
        awaitAnswers(60) // so it has filled some windows
        scope.cancel()
        withTimeout(50_000) { collecting.join() }
    }

    /** Judges arrivals by an oracle that knows nothing of limiters. */
    private fun assertKept() {
        val audit = Audit.of(Limits.parse(LIMIT))
        counted.sortedBy { it[0] }.forEach { audit.add(it[0], it[1], Cost.ONE) }
        val report = audit.report()
        println(report.text())
        assertEquals(counted.size.toLong(), report.count())
        assumeFalse(late, "the machine was too busy")
        assertTrue(report.kept(), report.text())
    }

    private class Refused : IOException("500")

    private companion object {
        /** The server is done with a request that the client gave up within a second. */
        const val LIMIT = "peer(20/100ms, unanswered=1s)"
        const val SENT = "Sent"
        const val HALF_A_SECOND = 500_000_000L
    }
}
