package dev.pacegate.ktor

import dev.pacegate.Limiter
import dev.pacegate.limit.Cost
import io.ktor.client.HttpClient
import io.ktor.client.engine.ClientEngineClosedException
import io.ktor.client.engine.cio.CIO
import io.ktor.client.engine.okhttp.OkHttp
import io.ktor.client.request.HttpRequestData
import io.ktor.client.request.get
import io.ktor.client.statement.bodyAsText
import java.lang.ref.WeakReference
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertInstanceOf
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Test

/** Clients that come and go. */
internal class ClientsTest : KtorCases() {

    private fun ok() = server { _, connection -> connection.ok("hello") }

    /** Its plugin's functions are its own, so they refer to the client. */
    private class Api {
        val client = HttpClient(CIO) {
            install(PacedKtor) {
                limit("10/1h")
                cost { costOf(it) }
            }
        }
        private val unit = Cost.ONE

        private fun costOf(request: HttpRequestData) = if (request.url.host.isEmpty()) Cost.of(2) else unit
    }

    @Test
    fun `a closed client is not kept by its functions`() = runBlocking {
        val server = ok()
        var api: Api? = Api()
        api!!.client.get(server.url()).bodyAsText()
        api.client.close()
        val kept = WeakReference(api)
        api = null
        val end = withTimeoutOrNull(20.seconds) {
            while (kept.get() != null) {
                System.gc()
                delay(20)
            }
        }
        assertNotNull(end, "still reachable")
    }

    private fun isOurs(call: StackTraceElement) =
        call.methodName == "intercept" && call.className.endsWith("\$Shown")

    @Test
    fun `derived clients do not change a shared engine again`() = runBlocking {
        val server = ok()
        var passed = 0
        val first = closing(
            HttpClient(OkHttp) {
                engine {
                    addInterceptor { chain ->
                        passed = Throwable().stackTrace.count(::isOurs)
                        chain.proceed(chain.request())
                    }
                }
                install(PacedKtor) { standard() }
            }
        )
        repeat(5) { closing(first.config {}) }
        assertEquals("hello", first.get(server.url()).bodyAsText())
        assertEquals(1, passed)
    }

    @Test
    fun `requests that wait leave the queue when their client is closed`() = runBlocking {
        val server = ok()
        val one = Limiter.of("peer(1/1h)")
        val client = client { limiter(one) }
        client.get(server.url()).bodyAsText()
        val waiting = async(Dispatchers.Default) { runCatching { client.get(server.url()) } }
        await { one.snapshot().waiting() == 1 }
        client.close()
        val failure = withTimeout(20.seconds) { waiting.await() }.exceptionOrNull()
        assertInstanceOf(ClientEngineClosedException::class.java, failure)
        await { one.snapshot().waiting() == 0 }
    }
}
