package dev.pacegate.kotlin

import dev.pacegate.Limiter
import dev.pacegate.time.ManualTime
import java.util.concurrent.Executor
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** One permit that goes from coroutine to coroutine. */
@Timeout(60)
class HandOnTest {

    private val tasks = ArrayDeque<Runnable>() // of the limiter's executor
    private val limiter =
        Limiter.builder("concurrent(1)").time(ManualTime.manual()).executor { tasks += it }.build()
    private val gone = mutableListOf<Int>()

    @AfterEach
    fun nothingIsLeft() = assertNothingLeft(limiter)

    private fun wait(number: Int, dispatcher: CoroutineDispatcher): Job =
        CoroutineScope(dispatcher + Job()).launch(start = CoroutineStart.UNDISPATCHED) {
            limiter.withPermit { gone += number }
        }

    @Test
    fun `a coroutine is resumed without a thread of the limiter's executor`() {
        val held = limiter.acquire()
        val next = wait(1, Dispatchers.Default)
        held.answered()
        runBlocking { next.join() }
        assertEquals(listOf(1), gone)
        assertTrue(tasks.isEmpty())
    }

    @Test
    fun `a coroutine that would run where it is resumed is left to the limiter's executor`() {
        val held = limiter.acquire()
        wait(1, Dispatchers.Unconfined)
        held.answered()
        assertEquals(listOf<Int>(), gone)
        while (tasks.isNotEmpty()) tasks.removeFirst().run()
        assertEquals(listOf(1), gone)
    }

    @Test
    fun `a dispatcher that may run the coroutine at once is left to the limiter's executor`() {
        val held = limiter.acquire()
        wait(1, Executor { it.run() }.asCoroutineDispatcher())
        held.answered()
        assertEquals(listOf<Int>(), gone)
        while (tasks.isNotEmpty()) tasks.removeFirst().run()
        assertEquals(listOf(1), gone)
    }

    @Test
    fun `ten thousand coroutines go in order`() {
        val real = Limiter.of("concurrent(1)")
        val held = real.acquire()
        runBlocking(Dispatchers.Default) {
            val first = CoroutineStart.UNDISPATCHED
            repeat(10_000) { launch(start = first) { real.withPermit { gone += it } } }
            assertEquals(10_000, real.snapshot().waiting())
            held.answered()
        }
        assertEquals((0 until 10_000).toList(), gone)
        assertNothingLeft(real)
    }
}
