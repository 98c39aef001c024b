package dev.pacegate.ktor

import dev.pacegate.Limiter
import dev.pacegate.adapter.tck.RawServer
import dev.pacegate.feedback.Feedback
import io.ktor.client.HttpClient
import io.ktor.client.HttpClientConfig
import io.ktor.client.engine.cio.CIO
import java.time.Duration
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Timeout

/** A limiter, clients that are paced by it, and what the tests ask of both. */
@Timeout(60)
internal abstract class KtorCases {

    val limiter: Limiter = Limiter.of("peer(1000/1h)")
    private val closed = mutableListOf<AutoCloseable>()

    @AfterEach
    fun close() = closed.forEach { it.close() }

    fun server(script: RawServer.ServerScript) = RawServer(script).also { closed += it }

    fun <T : AutoCloseable> closing(each: T): T = each.also { closed += it }

    fun PacedKtorConfig.standard() {
        limiter(limiter)
        feedback(Feedback.standard().pause(Duration.ofMillis(20)))
    }

    fun client(more: HttpClientConfig<*>.() -> Unit = {}, options: PacedKtorConfig.() -> Unit = {}) =
        closing(
            HttpClient(CIO) {
                install(PacedKtor) {
                    standard()
                    options()
                }
                more()
            }
        )

    /** Each of the arrivals has a permit, and none is open or lost. */
    fun assertPermits(arrivals: Int, lost: Long = 0) = runBlocking {
        await { limiter.snapshot().open() == 0 }
        val state = limiter.snapshot()
        assertEquals(arrivals.toLong(), state.granted(), "granted")
        assertEquals(0, state.waiting(), "waiting")
        assertEquals(lost, state.lost(), "lost")
    }

    suspend fun await(condition: () -> Boolean) {
        while (!condition()) delay(2)
    }
}

internal fun RawServer.url(path: String = "/"): String = uri(path).toString()
