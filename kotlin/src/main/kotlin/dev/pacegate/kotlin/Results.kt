package dev.pacegate.kotlin

import dev.pacegate.Permit
import java.util.concurrent.CompletionStage
import java.util.concurrent.Flow.Publisher
import java.util.concurrent.Future
import kotlinx.coroutines.Job
import kotlinx.coroutines.flow.Flow

/** Ends this permit if [result] is the answer; with it, if the answer comes later. */
internal fun Permit.endWith(result: Any?) {
    when (result) {
        is Result<*> -> end(result.exceptionOrNull())
        is CompletionStage<*> -> result.whenComplete { _, failure: Throwable? -> end(failure) }
        is Job -> result.invokeOnCompletion { failure -> end(failure) }
        is Flow<*>, is Publisher<*>, is Future<*> -> refuse(result)
        else -> if (isPublisher(result)) refuse(result) else answered()
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
