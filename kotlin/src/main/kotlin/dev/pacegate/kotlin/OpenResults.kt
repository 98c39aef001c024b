package dev.pacegate.kotlin

import dev.pacegate.Limiter
import java.io.ByteArrayInputStream
import java.io.InputStream
import java.util.concurrent.Flow.Publisher
import java.util.concurrent.Future
import java.util.stream.BaseStream
import kotlinx.coroutines.flow.Flow

/**
 * Returns what to write in place of a block that returns [result], if the request is not over with
 * it and nothing tells when it is; null if it is the answer. A body that is still to be read belongs
 * to the request where a limit of [limiter] counts until the answer is in.
 */
internal fun wayOut(result: Any?, limiter: Limiter): String? =
    when {
        result == null || PLAIN.get(result.javaClass) -> null
        result is Flow<*> || isOf(PUBLISHERS, result) -> "await or collect it in the block"
        result is Future<*> || isOf(FUTURES, result) -> "await it in the block"
        isOf(CALLS, result) -> "execute it in the block"
        streamOf(result) != null && limiter.limits().any { it.countsWhole() } ->
            "read it in the block, or end the permit yourself with awaitPermit"
        else -> null
    }

/** Closes the stream that a refused [result] leaves open: its connection would not be returned. */
internal fun closeStream(result: Any?, refused: Throwable) {
    val stream = result?.let(::streamOf) as? AutoCloseable ?: return
    try {
        stream.close()
    } catch (failure: Throwable) {
        refused.addSuppressed(failure)
    }
}

/** Returns what a response is still read from, if [result] is or has such a body. */
private fun streamOf(result: Any): Any? {
    val body = if (isOf(RESPONSES, result)) bodyOf(result) else result
    return when {
        body is ByteArrayInputStream -> null
        body is InputStream -> body
        body === result -> null
        body is BaseStream<*, *> || body is Publisher<*> -> body
        else -> null
    }
}

/** The JDK's client is a module that a program may lack. */
private fun bodyOf(response: Any): Any? =
    try {
        Class.forName(JDK_RESPONSE).getMethod("body").invoke(response)
    } catch (_: ReflectiveOperationException) {
        null
    }

private const val JDK_RESPONSE = "java.net.http.HttpResponse"

/** Types of other libraries are no dependencies, so they are known by name. */
private val PUBLISHERS =
    setOf(
        "java.util.concurrent.Flow\$Publisher",
        "org.reactivestreams.Publisher",
        "io.reactivex.rxjava3.core.ObservableSource",
        "io.reactivex.rxjava3.core.SingleSource",
        "io.reactivex.rxjava3.core.MaybeSource",
        "io.reactivex.rxjava3.core.CompletableSource",
        "io.smallrye.mutiny.Uni",
    )

private val FUTURES = setOf("scala.concurrent.Future")

private val CALLS = setOf("okhttp3.Call", "retrofit2.Call", "io.ktor.client.statement.HttpStatement")

private val RESPONSES = setOf(JDK_RESPONSE)

private fun isOf(names: Set<String>, result: Any): Boolean =
    KNOWN_TYPES.get(result.javaClass).any { it in names }

/** The known types that a class implements. */
private val KNOWN_TYPES =
    object : ClassValue<Set<String>>() {
        private val known = PUBLISHERS + FUTURES + CALLS + RESPONSES

        override fun computeValue(type: Class<*>): Set<String> =
            (type.interfaces.asList() + listOfNotNull(type.superclass))
                .flatMapTo(if (type.name in known) mutableSetOf(type.name) else mutableSetOf()) { get(it) }
    }

/** Whether a result of a class is the answer, as of most: looked up once for each. */
private val PLAIN =
    object : ClassValue<Boolean>() {
        private val open =
            listOf(
                Flow::class.java,
                Future::class.java,
                InputStream::class.java,
                BaseStream::class.java,
                Publisher::class.java,
            )

        override fun computeValue(type: Class<*>): Boolean =
            KNOWN_TYPES.get(type).isEmpty() && open.none { it.isAssignableFrom(type) }
    }
