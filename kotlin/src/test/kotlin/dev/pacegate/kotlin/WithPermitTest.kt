package dev.pacegate.kotlin

import dev.pacegate.FailureClassifier
import dev.pacegate.Limiter
import dev.pacegate.LimiterClosedException
import dev.pacegate.WaitTooLongException
import dev.pacegate.limit.Cost
import dev.pacegate.limit.Outcome
import dev.pacegate.time.ManualTime
import java.io.IOException
import java.net.ConnectException
import java.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(60)
class WithPermitTest {

    private val time = ManualTime.manual()
    private val scope = CoroutineScope(Dispatchers.Unconfined + Job())
    private var limiter = limiter(TELLS, time)

    @AfterEach
    fun nothingIsLeft() {
        scope.cancel()
        assertNothingLeft(limiter)
        assertEquals(0, time.pending())
    }

    private fun use(limit: String) {
        limiter = limiter(limit, time)
    }

    private fun start(block: suspend CoroutineScope.() -> Unit): Job =
        scope.launch(start = CoroutineStart.UNDISPATCHED, block = block)

    @Test
    fun `a result is an answer`() = runBlocking {
        assertEquals("hello", limiter.withPermit { "hello" })
        assertEquals(Outcome.ANSWERED, outcome(limiter))
    }

    @Test
    fun `a cost that no limit counts is refused before the block`() {
        val spaced = limiter("spacing(1s)", time)
        assertThrows(IllegalArgumentException::class.java) {
            runBlocking { spaced.withPermit(Cost.of(3)) { error("not reached") } }
        }
        assertThrows(IllegalArgumentException::class.java) {
            spaced.callBlocking(Cost.of(3)) { error("not reached") }
        }
        assertEquals(0, spaced.snapshot().granted())
    }

    @Test
    fun `waiters go in order, each at its time, and no thread waits`() {
        use("1/1s")
        val gone = mutableListOf<String>()
        for (name in listOf("a", "b", "c")) {
            start { limiter.withPermit { gone += "$name at ${time.nanoTime() / 1_000_000}" } }
        }
        assertEquals(2, limiter.snapshot().waiting())
        time.advance(Duration.ofSeconds(10))
        assertEquals(listOf("a at 0", "b at 1000", "c at 2000"), gone)
    }

    @Test
    fun `a cancelled waiter gives up its place and costs nothing`() {
        use("1/1s")
        val gone = mutableListOf<Long>()
        start { limiter.withPermit {} }
        val cancelled = start { limiter.withPermit { gone += -1 } }
        start { limiter.withPermit { gone += time.nanoTime() } }
        cancelled.cancel()
        assertEquals(1, limiter.snapshot().waiting())
        time.advance(Duration.ofSeconds(5))
        assertEquals(listOf(1_000_000_000L), gone)
    }

    @Test
    fun `a coroutine that is cancelled already takes no permit`() {
        start {
            cancel()
            limiter.withPermit { error("not reached") }
        }
        assertEquals(Outcome.NOT_SENT, outcome(limiter))
    }

    @Test
    fun `a permit that arrives as the coroutine is cancelled goes back`() {
        use("concurrent(1)")
        val held = HeldDispatcher()
        val first = limiter.acquire()
        var reached = false
        val waiter = scope.launch(held) { limiter.withPermit { reached = true } }
        held.runAll()
        first.answered()
        assertEquals(1, limiter.snapshot().open())
        waiter.cancel()
        held.runAll()
        assertFalse(reached)
    }

    @Test
    fun `a wait that is known to be too long is refused at once`(): Unit = runBlocking {
        limiter.withPermit {}
        val tooLong =
            assertThrows(WaitTooLongException::class.java) {
                runBlocking { limiter.withPermit(maxWait = 9.seconds) { error("not reached") } }
            }
        assertEquals(Duration.ofSeconds(10), tooLong.atLeast())
    }

    @Test
    fun `withTimeout bounds the wait`(): Unit = runBlocking {
        limiter.withPermit {}
        assertThrows(TimeoutCancellationException::class.java) {
            runBlocking { withTimeout(10.milliseconds) { limiter.withPermit { error("not reached") } } }
        }
        assertEquals(1, limiter.snapshot().granted())
    }

    @Test
    fun `closing refuses the waiters`() {
        use("1/1s")
        var failure: Throwable? = null
        start { limiter.withPermit {} }
        start { failure = runCatching { limiter.withPermit {} }.exceptionOrNull() }
        limiter.close()
        assertTrue(failure is LimiterClosedException, failure.toString())
    }

    @Test
    fun `a named cost is charged and can be settled`(): Unit = runBlocking {
        use("1000/1m of tokens")
        limiter.awaitPermit(Cost.of("tokens", 900)).use { it.settle(Cost.of("tokens", 100)) }
        assertEquals(Duration.ZERO, limiter.estimateWait(Cost.of("tokens", 900)))
        assertEquals(Duration.ofMinutes(1), limiter.estimateWait(Cost.of("tokens", 901)))
    }

    @Test
    fun `a permit by hand that is left without a word is lost`() = runBlocking {
        limiter.awaitPermit().use {}
        assertEquals(Outcome.LOST, outcome(limiter))
    }

    @Test
    fun `a permit by hand that is answered is`() = runBlocking {
        limiter.awaitPermit(maxWait = 1.seconds).use { it.answered() }
        assertEquals(Outcome.ANSWERED, outcome(limiter))
    }

    @Test
    fun `the limiter's classifier says what a failure means`() {
        assertFailure(Outcome.LOST, IOException("reset"))
        assertFailure(Outcome.NOT_SENT, ConnectException("refused"))
        assertFailure(Outcome.ANSWERED, IllegalArgumentException("no such order"))
        assertFailure(Outcome.LOST, CancellationException("enough"))
        assertFailure(Outcome.LOST, IllegalStateException(CancellationException("enough")))
        limiter =
            Limiter.builder(TELLS)
                .time(time)
                .classifier(FailureClassifier.standard().answered(IOException::class.java))
                .build()
        assertThrows(IOException::class.java) { fail(IOException("rejected")) }
        assertEquals(Outcome.ANSWERED, outcome(limiter))
    }

    private fun assertFailure(outcome: Outcome, failure: Throwable) {
        use(TELLS)
        assertThrows(failure.javaClass) { fail(failure) }
        assertEquals(outcome, outcome(limiter), failure.toString())
    }

    private fun fail(failure: Throwable): Unit = runBlocking { limiter.withPermit { throw failure } }

    @Test
    fun `a request cut short by its time-out is lost`() {
        assertThrows(TimeoutCancellationException::class.java) {
            runBlocking { limiter.withPermit { withTimeout(10.milliseconds) { awaitCancellation() } } }
        }
        assertEquals(Outcome.LOST, outcome(limiter))
    }

    @Test
    fun `a request cut short by cancellation is lost`(): Unit = runBlocking {
        val request = start { limiter.withPermit { awaitCancellation() } }
        request.cancelAndJoin()
        assertEquals(Outcome.LOST, outcome(limiter))
    }

    @Test
    fun `a failure is thrown as it is`() {
        val failure = IOException("reset")
        assertSame(failure, assertThrows(IOException::class.java) { fail(failure) })
    }

    @Test
    fun `a request that a busy dispatcher starts late is charged again where that is wanted`() {
        limiter = Limiter.builder("1/10s").time(time).executor(Runnable::run).late(Duration.ZERO).build()
        val held = HeldDispatcher()
        start { limiter.withPermit {} }
        scope.launch(held) { limiter.withPermit {} }
        held.runAll()
        time.advance(Duration.ofSeconds(10))
        time.advance(Duration.ofSeconds(4)) // the dispatcher has other work
        held.runAll()
        assertEquals(Duration.ofSeconds(10), limiter.estimateWait(1))
    }
}
