package dev.pacegate.kotlin

import dev.pacegate.limit.Outcome
import dev.pacegate.time.ManualTime
import java.io.IOException
import java.lang.reflect.Proxy
import java.util.concurrent.CompletableFuture
import java.util.function.BiConsumer
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Job
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** What a block may return beside the answer itself. */
@Timeout(60)
class ResultsTest {

    private val limiter = limiter(TELLS, ManualTime.manual())

    @AfterEach fun nothingIsLeft() = assertNothingLeft(limiter)

    private fun <T> returning(result: T): T = runBlocking { limiter.withPermit { result } }

    private fun assertOpen() = assertEquals(1, limiter.snapshot().open())

    @Test
    fun `null is an answer`() {
        assertNull(returning(null))
        assertEquals(Outcome.ANSWERED, outcome(limiter))
    }

    @Test
    fun `a failed Result counts as its exception`() {
        assertTrue(returning(Result.failure<String>(IOException("reset"))).isFailure)
        assertEquals(Outcome.LOST, outcome(limiter))
    }

    @Test
    fun `a Result that holds a value is an answer`() {
        returning(Result.success("hello"))
        assertEquals(Outcome.ANSWERED, outcome(limiter))
    }

    @Test
    fun `the permit ends with a stage`() {
        val stage = returning(CompletableFuture<String>())
        assertOpen()
        stage.complete("hello")
        assertEquals(Outcome.ANSWERED, outcome(limiter))
    }

    @Test
    fun `the permit ends as a stage fails`() {
        val stage = returning(CompletableFuture<String>())
        assertOpen()
        stage.completeExceptionally(IOException("reset"))
        assertEquals(Outcome.LOST, outcome(limiter))
    }

    @Test
    fun `the permit of a stage that throws instead of taking a callback is lost`() =
        assertDeaf(IllegalStateException("a test"))

    @Test
    fun `the permit of a stage that throws an error is lost`() =
        assertDeaf(StackOverflowError("a test"))

    private fun assertDeaf(mine: Throwable) {
        val deaf =
            object : CompletableFuture<String>() {
                override fun whenComplete(action: BiConsumer<in String, in Throwable?>) = throw mine
            }
        assertSame(mine, assertThrows(mine.javaClass) { returning(deaf) })
        assertEquals(Outcome.LOST, outcome(limiter))
    }

    @Test
    fun `the permit of a Job that throws instead of taking a callback is lost`() {
        val mine = IllegalStateException("a test")
        val deaf =
            Proxy.newProxyInstance(javaClass.classLoader, arrayOf(Job::class.java)) { _, _, _ ->
                throw mine
            }
        assertSame(mine, assertThrows(mine.javaClass) { returning(deaf) })
        assertEquals(Outcome.LOST, outcome(limiter))
    }

    @Test
    fun `the first of two ends of a stage counts`() {
        val twice = object : CompletableFuture<String?>() {
            override fun whenComplete(action: BiConsumer<in String?, in Throwable?>): CompletableFuture<String?> {
                action.accept("hello", null)
                action.accept(null, IOException("reset"))
                error("a test")
            }
        }
        assertSame(twice, returning(twice))
        assertEquals(Outcome.ANSWERED, outcome(limiter))
    }

    @Test
    fun `the permit ends with a Deferred`() {
        val deferred = returning(CompletableDeferred<String>())
        assertOpen()
        deferred.complete("hello")
        assertEquals(Outcome.ANSWERED, outcome(limiter))
    }

    @Test
    fun `the permit of a cancelled Deferred is lost`() {
        val deferred = returning(CompletableDeferred<String>())
        assertOpen()
        deferred.cancel()
        assertEquals(Outcome.LOST, outcome(limiter))
    }

    @Test
    fun `the permit ends with what a Result holds`() {
        val deferred = returning(Result.success(CompletableDeferred<String>())).getOrThrow()
        assertOpen()
        deferred.complete("hello")
        assertEquals(Outcome.ANSWERED, outcome(limiter))
    }
}
