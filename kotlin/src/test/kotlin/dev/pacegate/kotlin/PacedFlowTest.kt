package dev.pacegate.kotlin

import dev.pacegate.Limiter
import dev.pacegate.limit.Cost
import dev.pacegate.time.ManualTime
import java.time.Duration
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.cancel
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.catch
import kotlinx.coroutines.flow.launchIn
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.take
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(60)
class PacedFlowTest {

    private val time = ManualTime.manual()
    private val scope = CoroutineScope(Dispatchers.Unconfined + Job())
    private val limiter = limiter("2/1s", time)
    private val gone = mutableListOf<String>()

    @AfterEach
    fun nothingIsLeft() {
        scope.cancel()
        assertNothingLeft(limiter)
        assertEquals(0, time.pending())
    }

    private fun collect(flow: Flow<*>): Job =
        flow.onEach { gone += "$it at ${time.nanoTime() / 1_000_000}" }.launchIn(scope)

    @Test
    fun `elements go as fast as the limit allows, in order`() {
        collect((1..5).asFlow().paced(limiter))
        time.advance(Duration.ofSeconds(9))
        assertEquals(listOf("1 at 0", "2 at 0", "3 at 1000", "4 at 1000", "5 at 2000"), gone)
    }

    @Test
    fun `upstream is asked for one element at a time`() {
        var asked = 0
        collect((1..5).asFlow().onEach { asked = it }.paced(limiter))
        assertEquals(3, asked)
    }

    @Test
    fun `an element costs what is said`() {
        collect((1..2).asFlow().paced(limiter) { Cost.of(it.toLong()) })
        time.advance(Duration.ofSeconds(9))
        assertEquals(listOf("1 at 0", "2 at 1000"), gone)
    }

    @Test
    fun `a cost that no limit counts fails the flow`() {
        val spaced = limiter("spacing(1s)", time)
        var failure: Throwable? = null
        collect(
            (1..2).asFlow().paced(spaced) { Cost.of(it.toLong()) }.catch { failure = it }
        )
        time.advance(Duration.ofSeconds(9))
        assertEquals(listOf("1 at 0"), gone)
        assertTrue(failure is IllegalArgumentException)
        assertNothingLeft(spaced)
    }

    @Test
    fun `flows that share a limiter take turns`() {
        collect(listOf("a", "b", "c").asFlow().paced(limiter))
        collect(listOf("x", "y").asFlow().paced(limiter))
        time.advance(Duration.ofSeconds(9))
        assertEquals(listOf("a at 0", "b at 0", "c at 1000", "x at 1000", "y at 2000"), gone)
    }

    @Test
    fun `a cancelled flow gives up its place`() {
        val flow = collect((1..5).asFlow().paced(limiter))
        assertEquals(1, limiter.snapshot().waiting())
        flow.cancel()
        assertNothingLeft(limiter)
        assertEquals(2, limiter.snapshot().granted())
    }

    @Test
    fun `take leaves no one waiting`() {
        collect((1..5).asFlow().paced(limiter).take(2))
        assertEquals(listOf("1 at 0", "2 at 0"), gone)
        assertNothingLeft(limiter)
    }

    @Test
    fun `a limit that counts until the answer is in is refused with what to write`() {
        for (limit in listOf("peer(10/1s)", "10/1s & concurrent(4)")) {
            val refused =
                assertThrows(IllegalArgumentException::class.java) {
                    (1..5).asFlow().paced(Limiter.of(limit))
                }
            assertTrue(refused.message!!.contains("map { limiter.withPermit"), refused.message)
        }
    }
}
