package dev.pacegate.benchmarks

import dev.pacegate.Limiter
import dev.pacegate.Permit
import dev.pacegate.kotlin.withPermit as paced
import java.util.Locale
import kotlin.coroutines.resume
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

    fun round(coroutines: Int) {
        val found =
            nanos.getOrPut(coroutines) { Subject.entries.associateWith { mutableListOf() } }
        for ((subject, each) in found) each += measure(coroutines, request(subject))
    }

    private fun request(subject: Subject): suspend () -> Unit {
        if (subject == Subject.SEMAPHORE) {
            val semaphore = Semaphore(1)
            return { semaphore.withPermit {} }
        }
        val limiter = Limiter.of("concurrent(1)")
        return if (subject == Subject.PACED) ({ limiter.paced {} }) else ({ byFuture(limiter) })
    }

    private suspend fun byFuture(limiter: Limiter) {
        val permit: Permit = suspendCancellableCoroutine { continuation ->
            limiter.acquireAsync().thenAccept(continuation::resume)
        }
        permit.answered()
    }

    private fun measure(coroutines: Int, request: suspend () -> Unit): Double {
        val each = (permits / coroutines).coerceAtLeast(1)
        val began = System.nanoTime()
        runBlocking(Dispatchers.Default) {
            repeat(coroutines) { launch { repeat(each) { request() } } }
        }
        return (System.nanoTime() - began).toDouble() / (coroutines * each)
    }

    fun lines(): Array<String> {
        val lines =
            mutableListOf(
                "",
                "## A permit that goes from coroutine to coroutine",
                "",
                "So many coroutines on `Dispatchers.Default` take the only permit in turn and do nothing with it. In rounds, of all in turn.",
                "",
                "| coroutines | | median us each | least | most |",
                "|--:|---|--:|--:|--:|",
            )
        for ((coroutines, found) in nanos) {
            for ((subject, each) in found) {
                val sorted = each.sorted().map { it / 1e3 }
                val cells = listOf(sorted[sorted.size / 2], sorted.first(), sorted.last())
                lines +=
                    "| $coroutines | ${subject.title} | " +
                        cells.joinToString(" | ") { String.format(Locale.ROOT, "%.2f", it) } + " |"
            }
        }
        lines += ""
        lines += "**The goal**: at most $GOAL_MICROS us each with `withPermit`."
        return lines.toTypedArray()
    }

    private companion object {
        const val GOAL_MICROS = 5
    }
}
