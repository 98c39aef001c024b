package dev.pacegate.kotlin

import dev.pacegate.Limiter
import dev.pacegate.limit.Outcome
import dev.pacegate.time.ManualTime
import java.time.Duration
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.CoroutineDispatcher
import org.junit.jupiter.api.Assertions.assertEquals

/** A limiter in virtual time, which completes its futures on the thread that moves the clock. */
internal fun limiter(limit: String, time: ManualTime): Limiter =
    Limiter.builder(limit).time(time).executor(Runnable::run).build()

internal fun assertNothingLeft(limiter: Limiter) {
    assertEquals(0, limiter.snapshot().open(), "open")
    assertEquals(0, limiter.snapshot().waiting(), "waiting")
}

/** A limit of one request, by which [outcome] tells how that ended. */
internal const val TELLS = "peer(1/10s, margin=0ns, unanswered=60s)"

/** How the only request of a limiter of [TELLS] has ended, at the instant of its release. */
internal fun outcome(limiter: Limiter): Outcome =
    when (val wait = limiter.estimateWait(1)) {
        Duration.ZERO -> Outcome.NOT_SENT
        Duration.ofSeconds(10) -> Outcome.ANSWERED
        Duration.ofSeconds(70) -> Outcome.LOST
        else -> error("a wait of $wait")
    }

/** Runs what is dispatched when a test says so. */
internal class HeldDispatcher : CoroutineDispatcher() {
    private val tasks = ArrayDeque<Runnable>()

    override fun dispatch(context: CoroutineContext, block: Runnable) {
        tasks += block
    }

    fun runAll() {
        while (tasks.isNotEmpty()) tasks.removeFirst().run()
    }
}
