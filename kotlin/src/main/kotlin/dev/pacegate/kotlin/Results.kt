package dev.pacegate.kotlin

import dev.pacegate.Limiter
import dev.pacegate.Permit
import java.util.concurrent.CompletionStage
import java.util.concurrent.atomic.AtomicBoolean
import kotlinx.coroutines.Job

/** Ends this permit of [limiter] if [result] is the answer; with it, if the answer comes later. */
internal fun Permit.endWith(result: Any?, limiter: Limiter) {
    when (result) {
        is Result<*> -> result.fold({ endWith(it, limiter) }, { end(it) })
        is CompletionStage<*> ->
            endWhen { told -> result.whenComplete { _, failure: Throwable? -> told(failure) } }
        is Job -> endWhen { told -> result.invokeOnCompletion { failure -> told(failure) } }
        else -> wayOut(result, limiter)?.let { refuse(result, it) } ?: answered()
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

private fun Permit.refuse(result: Any?, wayOut: String): Nothing {
    lost()
    val refused =
        IllegalStateException(
            "the block returned a ${result?.javaClass?.name}, whose request may still be under way:" +
                " $wayOut. Its permit counts as lost"
        )
    closeStream(result, refused)
    throw refused
}
