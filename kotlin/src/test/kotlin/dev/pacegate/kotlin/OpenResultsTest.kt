package dev.pacegate.kotlin

import dev.pacegate.Limiter
import dev.pacegate.limit.Outcome
import dev.pacegate.time.ManualTime
import io.reactivex.rxjava3.core.Completable
import io.reactivex.rxjava3.core.Flowable
import io.reactivex.rxjava3.core.Maybe
import io.reactivex.rxjava3.core.Observable
import io.reactivex.rxjava3.core.Single
import java.io.ByteArrayInputStream
import java.io.IOException
import java.io.InputStream
import java.lang.reflect.Proxy
import java.net.http.HttpResponse
import java.util.concurrent.Flow.Publisher
import java.util.concurrent.FutureTask
import java.util.stream.Stream
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.MethodSource

/** Results whose request is not over when the block returns, and of which nothing tells the end. */
@Timeout(60)
class OpenResultsTest {

    private val time = ManualTime.manual()
    private val limiter = limiter(TELLS, time)

    @AfterEach fun nothingIsLeft() = assertNothingLeft(limiter)

    private fun returning(result: Any, from: Limiter = limiter): Any = runBlocking { from.withPermit { result } }

    private fun assertRefused(result: Any, advice: String): IllegalStateException {
        val refused = assertThrows(IllegalStateException::class.java) { returning(result) }
        assertTrue(refused.message!!.contains(advice), refused.message)
        assertEquals(Outcome.LOST, outcome(limiter))
        return refused
    }

    @ParameterizedTest
    @MethodSource("open")
    fun `it is refused with its type and what to write`(result: Any, advice: String) {
        val refused = assertRefused(result, advice)
        assertTrue(refused.message!!.contains(result.javaClass.name), refused.message)
    }

    @ParameterizedTest
    @MethodSource("open")
    fun `it is refused within a Result`(result: Any, advice: String) {
        assertRefused(Result.success(result), advice)
    }

    @ParameterizedTest
    @MethodSource("bodies")
    fun `a body that is still to be read is refused and closed`(body: InputStream) {
        assertRefused(body, "read it in the block")
        assertEquals(-1, body.read())
    }

    @ParameterizedTest
    @MethodSource("bodies")
    fun `a response with a body that is still to be read is refused, and the body closed`(body: InputStream) {
        assertRefused(response(body), "read it in the block")
        assertEquals(-1, body.read())
    }

    @Test
    fun `a response whose body is a stream of lines or a publisher is refused`() {
        var closed = false
        assertRefused(response(Stream.of("a").onClose { closed = true }), "awaitPermit")
        assertTrue(closed)
        val other = limiter("concurrent(1)", time)
        assertThrows(IllegalStateException::class.java) { returning(response(Publisher<Int> {}), other) }
        assertNothingLeft(other)
    }

    @Test
    fun `a body that fails to close is noted`() {
        val failure = IOException("on purpose")
        val deaf =
            object : InputStream() {
                override fun read() = 1

                override fun close() = throw failure
            }
        assertSame(failure, assertRefused(deaf, "read it in the block").suppressed.single())
    }

    @ParameterizedTest
    @MethodSource("answers")
    fun `an answer that is in is no open result`(answer: Any) {
        assertSame(answer, returning(answer))
        assertEquals(Outcome.ANSWERED, outcome(limiter))
    }

    @Test
    fun `a limit of starts has no part in the body`() {
        val starts = limiter("10/1s", time)
        val body = bodies().first()
        assertSame(body, returning(body, starts))
        assertEquals('a'.code, body.read())
    }

    companion object {

        @JvmStatic
        fun open(): List<Array<Any>> =
            listOf(
                arrayOf(flowOf(1), "collect it"),
                arrayOf(Publisher<Int> {}, "collect it"),
                arrayOf(Flowable.just(1), "collect it"),
                arrayOf(Observable.just(1), "collect it"),
                arrayOf(Single.just(1), "await"),
                arrayOf(Maybe.just(1), "await"),
                arrayOf(Completable.complete(), "await"),
                arrayOf(object : io.smallrye.mutiny.Uni {}, "await"),
                arrayOf(FutureTask { 1 }, "await it"),
                arrayOf(object : scala.concurrent.Future {}, "await it"),
                arrayOf(object : okhttp3.Call {}, "execute it"),
                arrayOf(object : retrofit2.Call {}, "execute it"),
                arrayOf(io.ktor.client.statement.HttpStatement(), "execute it"),
            )

        @JvmStatic fun bodies(): List<InputStream> = listOf("abc".byteInputStream().alive())

        @JvmStatic
        fun answers(): List<Any> =
            listOf(
                "text",
                listOf(1),
                sequenceOf(1),
                listOf(1).stream(),
                ByteArrayInputStream(byteArrayOf(1)),
                response("text"),
                response(ByteArrayInputStream(byteArrayOf(1))),
                response(listOf(1)),
            )

        /** A body that comes over the wire, and has an end once it is closed. */
        private fun InputStream.alive(): InputStream =
            object : InputStream() {
                private var open = true

                override fun read() = if (open) this@alive.read() else -1

                override fun close() {
                    open = false
                }
            }

        private fun response(body: Any): HttpResponse<*> =
            Proxy.newProxyInstance(javaClass.classLoader, arrayOf(HttpResponse::class.java)) { proxy, method, _ ->
                when (method.name) {
                    "body" -> body
                    "hashCode" -> System.identityHashCode(proxy)
                    "toString" -> "a response"
                    else -> error(method.name)
                }
            } as HttpResponse<*>
    }
}
