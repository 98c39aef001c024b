package dev.pacegate.ktor

import dev.pacegate.Limiter
import io.ktor.client.engine.ClientEngineClosedException
import io.ktor.client.request.get
import io.ktor.client.statement.bodyAsText
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.Assertions.assertInstanceOf
import org.junit.jupiter.api.Test

/** Clients that come and go. */
internal class ClientsTest : KtorCases() {

    private fun ok() = server { _, connection -> connection.ok("hello") }

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
