package dev.pacegate.kotlin

import dev.pacegate.Permit
import java.util.concurrent.CompletionStage
import java.util.concurrent.Flow.Publisher
import java.util.concurrent.Future
import java.util.concurrent.atomic.AtomicBoolean
import kotlinx.coroutines.Job
import kotlinx.coroutines.flow.Flow

/** Ends this permit if [result] is the answer; with it, if the answer comes later. */
internal fun Permit.endWith(result: Any?) {
    when (result) {
        is Result<*> -> end(result.exceptionOrNull())
        is CompletionStage<*> ->
            endWhen { told -> result.whenComplete { _, failure: Throwable? -> told(failure) } }
        is Job -> endWhen { told -> result.invokeOnCompletion { failure -> told(failure) } }
        is Flow<*>, is Publisher<*>, is Future<*> -> refuse(result)
        else -> if (isPublisher(result)) refuse(result) else answered()
    }
}

/**
 * Ends this permit by the first end that is told. [listen] calls code of the user's, which may
 * throw: if it has told no end by then, the request may be under way, and the permit is lost.
 */
private fun Permit.endWhen(listen: ((Throwable?) -> Unit) -> Unit) {
    val over = AtomicBoolean()
    try {
        listen { failure -> if (over.compareAndSet(false, true)) end(failure) }
    } catch (deaf: Throwable) {
        if (over.compareAndSet(false, true)) {
            lost()
            throw deaf
        }
    }
}

private fun Permit.end(failure: Throwable?) {
    if (failure == null) answered() else failed(failure)
}

private fun Permit.refuse(result: Any?): Nothing {
    lost()
    error(
        "the block returned a ${result?.javaClass?.name}, whose request may still be under way:" +
            " await or collect it in the block. Its permit counts as lost"
    )
}

/** Reactive Streams are no dependency, so their publishers are known by name. */
private fun isPublisher(result: Any?): Boolean = result != null && PUBLISHERS.get(result.javaClass)

private val PUBLISHERS =
    object : ClassValue<Boolean>() {
        override fun computeValue(type: Class<*>): Boolean =
            type.name == "org.reactivestreams.Publisher" ||
                (type.interfaces.asList() + listOfNotNull(type.superclass)).any { get(it) }
    }
