package dev.pacegate.kotlin

import dev.pacegate.Limiter
import java.time.Duration.ofSeconds
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** A permit is granted while its coroutine is cancelled, on threads of their own. */
@Timeout(60)
class CancelRaceTest {

    /** A permit that is forgotten or lost is missed for an hour. */
    private val limiter = Limiter.of("concurrent(1, unanswered=1h)")
    private val entered = AtomicInteger()
    private val cancelled = AtomicInteger()

    @Test fun `threads of the coroutines`() = race(Dispatchers.Default)

    @Test fun `the thread that grants`() = race(Dispatchers.Unconfined)

    private fun race(dispatcher: CoroutineDispatcher) {
        val other = Executors.newSingleThreadExecutor()
        val start = CyclicBarrier(2)
        try {
            repeat(ROUNDS) { round ->
                val first = limiter.acquire()
                val waiter = waiter(dispatcher)
                val end = other.submit { start.await(); first.answered() }
                start.await()
                spin(nanos = round % 100 * 3_000L)
                waiter.cancel()
                end.get(20, SECONDS)
                runBlocking { withTimeout(20_000) { waiter.join() } }
                if (waiter.isCancelled) cancelled.incrementAndGet()
                assertFree(round)
            }
        } finally {
            other.shutdownNow()
        }
        println("$dispatcher: of $ROUNDS entered ${entered.get()}, cancelled ${cancelled.get()}")
        assertTrue(entered.get() > 0, "entered: $entered")
        assertTrue(cancelled.get() > 0, "cancelled: $cancelled")
    }

    private fun waiter(dispatcher: CoroutineDispatcher): Job =
        CoroutineScope(dispatcher).launch(start = CoroutineStart.UNDISPATCHED) {
            limiter.withPermit { entered.incrementAndGet() }
        }

    /** A permit that goes back may do so on a thread of the limiter, a little later. */
    private fun assertFree(round: Int) {
        val free = limiter.tryAcquire(ofSeconds(10))
        assertTrue(free.isPresent, "round $round: the permit is gone")
        free.get().answered()
        assertEquals(0, limiter.snapshot().open(), "round $round")
        assertEquals(0, limiter.snapshot().waiting(), "round $round")
    }

    @Test
    fun `many waiters of which half are cancelled`() = runBlocking {
        val limiter = Limiter.of("concurrent(3, unanswered=1h)")
        val inside = AtomicInteger()
        val waiters =
            List(ROUNDS) {
                launch(Dispatchers.Default) {
                    limiter.withPermit {
                        assertTrue(inside.incrementAndGet() <= 3)
                        inside.decrementAndGet()
                    }
                }
            }
        launch(Dispatchers.Default) { waiters.filterIndexed { i, _ -> i % 2 == 1 }.forEach(Job::cancel) }
        withTimeout(30_000) { waiters.joinAll() }
        repeat(3) {
            assertTrue(limiter.tryAcquire(ofSeconds(10)).isPresent, "place $it is gone")
        }
        assertFalse(limiter.tryAcquire().isPresent, "a fourth place")
    }

    private companion object {
        val ROUNDS = 40 * Integer.getInteger("pacegate.volume", 25)

        fun spin(nanos: Long) {
            val end = System.nanoTime() + nanos
            while (System.nanoTime() < end) Thread.onSpinWait()
        }
    }
}
