package dev.pacegate.kotlin

import dev.pacegate.Limiter
import dev.pacegate.time.ManualTime
import java.nio.file.Path
import java.time.Duration
import java.util.Collections
import java.util.concurrent.Executors
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.coroutineContext
import kotlin.io.path.readLines
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.asContextElement
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.launch
import kotlinx.coroutines.slf4j.MDCContext
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.EnumSource
import org.slf4j.MDC

/** A coroutine has the same context, thread-locals and dispatcher after a wait as before it. */
@Timeout(60)
class CoroutineContextTest {

    private val time = ManualTime.manual()
    private val limiters = Executors.newSingleThreadExecutor()
    private val limiter = Limiter.builder("1/1s").time(time).executor(limiters).build()
    private lateinit var mine: Thread
    private val executor = Executors.newSingleThreadExecutor { Thread(it).also { made -> mine = made } }
    private val seen = Collections.synchronizedList(mutableListOf<String>())

    private class Own(val value: String) : AbstractCoroutineContextElement(Own) {
        companion object Key : CoroutineContext.Key<Own>
    }

    /** Each uses the permit in the way of its documentation, with a request that looks around. */
    enum class Verb {
        WITH_PERMIT {
            override suspend fun use(limiter: Limiter, look: suspend () -> Unit, lookBlocking: () -> Unit) =
                limiter.withPermit { look() }
        },
        AWAIT_PERMIT {
            override suspend fun use(limiter: Limiter, look: suspend () -> Unit, lookBlocking: () -> Unit) =
                limiter.awaitPermit().use {
                    look()
                    it.answered()
                }
        },
        PACED {
            override suspend fun use(limiter: Limiter, look: suspend () -> Unit, lookBlocking: () -> Unit) =
                flowOf(1).onEach { look() }.paced(limiter).collect { look() }
        },
        CALL_BLOCKING {
            override suspend fun use(limiter: Limiter, look: suspend () -> Unit, lookBlocking: () -> Unit) =
                limiter.callBlocking { lookBlocking() }
        };

        abstract suspend fun use(limiter: Limiter, look: suspend () -> Unit, lookBlocking: () -> Unit)
    }

    @AfterEach
    fun close() {
        limiters.shutdownNow()
        executor.shutdownNow()
    }

    private fun lookBlocking() {
        seen += "${LOCAL.get()} ${MDC.get("user")} ${if (Thread.currentThread() === mine) "mine" else "strange"}"
    }

    private suspend fun look() {
        assertEquals("coroutine", coroutineContext[CoroutineName]?.name)
        assertEquals("own", coroutineContext[Own]?.value)
        lookBlocking()
    }

    private fun assertKept(verb: Verb) {
        val context =
            executor.asCoroutineDispatcher() +
                CoroutineName("coroutine") +
                Own("own") +
                LOCAL.asContextElement("local") +
                MDCContext(mapOf("user" to "ann"))
        var failure: Throwable? = null
        val job =
            CoroutineScope(context).launch {
                look()
                verb.use(limiter, ::look, ::lookBlocking)
                look()
            }
        job.invokeOnCompletion { failure = it }
        while (!job.isCompleted) {
            if (limiter.snapshot().waiting() > 0) time.advance(Duration.ofSeconds(1)) else Thread.onSpinWait()
        }
        assertEquals(null, failure)
        assertTrue(seen.size >= 3, seen.toString())
        assertEquals(setOf("local ann mine"), seen.toSet())
    }

    @ParameterizedTest
    @EnumSource
    fun `the context is kept without a wait`(verb: Verb) {
        assertKept(verb)
        assertEquals(Duration.ZERO, limiter.snapshot().waits().total())
    }

    @ParameterizedTest
    @EnumSource
    fun `the context is kept after a wait`(verb: Verb) {
        limiter.acquire().answered()
        assertKept(verb)
        assertTrue(limiter.snapshot().waits().total() >= Duration.ofSeconds(1))
    }

    @Test
    fun `the table of contexts names each verb`() {
        val verbs = Path.of("../docs/contexts.md").readLines()
            .filter { "](../kotlin/" in it && "| kept | kept |" in it }
            .map { it.split("`")[1].replace(Regex("(?=[A-Z])"), "_").uppercase() }
        assertEquals(Verb.entries.map { it.name }, verbs)
    }

    private companion object {
        val LOCAL = ThreadLocal<String>()
    }
}
