package dev.pacegate.benchmarks

import dev.pacegate.Limiter
import dev.pacegate.Permit
import dev.pacegate.kotlin.withPermit as paced
import java.util.Locale
import kotlin.coroutines.resume
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.sync.Semaphore
import kotlinx.coroutines.sync.withPermit

/** How long one permit takes from coroutine to coroutine, in rounds of all subjects in turn. */
internal class HandOns(private val permits: Int) {

    private val nanos = sortedMapOf<Int, Map<Subject, MutableList<Double>>>()

    private enum class Subject(val title: String) {
        PACED("Pacegate, `withPermit` under `concurrent(1)`"),
        FUTURE("Pacegate, a coroutine resumed by the future of `acquireAsync`"),
        SEMAPHORE("the coroutines' `Semaphore(1).withPermit`"),
    }

    /** Takes the permit, and returns what ends it. */
    private class Request(val hold: suspend () -> () -> Unit, val run: suspend () -> Unit)

    /** Half a million permits go before the JIT is done: they must not count. */
    fun warmUp(permits: Int) {
        for (subject in Subject.entries) measure(WARM_COROUTINES, permits, request(subject))
    }

    fun round(coroutines: Int) {
        val found =
            nanos.getOrPut(coroutines) { Subject.entries.associateWith { mutableListOf() } }
        for ((subject, each) in found) each += measure(coroutines, permits, request(subject))
    }

    private fun request(subject: Subject): Request {
        if (subject == Subject.SEMAPHORE) {
            val semaphore = Semaphore(1)
            return Request({ semaphore.acquire().let { { semaphore.release() } } }) {
                semaphore.withPermit {}
            }
        }
        val limiter = Limiter.of("concurrent(1)")
        val run: suspend () -> Unit =
            if (subject == Subject.PACED) ({ limiter.paced {} }) else ({ byFuture(limiter) })
        return Request({ limiter.acquire()::answered }, run)
    }

    private suspend fun byFuture(limiter: Limiter) {
        val permit: Permit = suspendCancellableCoroutine { continuation ->
            limiter.acquireAsync().thenAccept(continuation::resume)
        }
        permit.answered()
    }

    /** All wait before the first goes: otherwise one may have had all its permits by then. */
    private fun measure(coroutines: Int, permits: Int, request: Request): Double {
        val each = (permits / coroutines).coerceAtLeast(1)
        var began = 0L
        runBlocking(Dispatchers.Default) {
            val end = request.hold()
            repeat(coroutines) {
                launch(start = CoroutineStart.UNDISPATCHED) { repeat(each) { request.run() } }
            }
            began = System.nanoTime()
            end()
        }
        return (System.nanoTime() - began).toDouble() / (coroutines * each)
    }

    fun lines(): Array<String> {
        val lines =
            mutableListOf(
                "",
                "## A permit that goes from coroutine to coroutine",
                "",
                "So many coroutines on `Dispatchers.Default` wait, then take the only permit in turn and do nothing with it. In rounds, of all in turn.",
                "",
                "| coroutines | | median us each | least | most | times the semaphore's |",
                "|--:|---|--:|--:|--:|--:|",
            )
        for ((coroutines, found) in nanos) {
            for ((subject, each) in found) {
                val sorted = each.sorted().map { it / 1e3 }
                val ratio = median(each) / median(found.getValue(Subject.SEMAPHORE))
                val cells = listOf(median(each) / 1e3, sorted.first(), sorted.last(), ratio)
                lines +=
                    "| $coroutines | ${subject.title} | " +
                        cells.joinToString(" | ") { String.format(Locale.ROOT, "%.2f", it) } + " |"
            }
        }
        lines += ""
        lines += "**The goal**: at most $GOAL_MICROS us each with `withPermit`."
        return lines.toTypedArray()
    }

    private fun median(each: List<Double>) = each.sorted()[each.size / 2]

    private companion object {
        const val GOAL_MICROS = 5
        const val WARM_COROUTINES = 100
    }
}
