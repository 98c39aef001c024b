package dev.pacegate.ktor

import dev.pacegate.adapter.Answered
import io.ktor.client.plugins.sse.SSE
import io.ktor.client.plugins.sse.sse
import io.ktor.client.plugins.websocket.WebSockets
import io.ktor.client.plugins.websocket.webSocket
import io.ktor.client.request.get
import io.ktor.client.request.head
import io.ktor.client.request.prepareGet
import io.ktor.client.statement.bodyAsChannel
import io.ktor.client.statement.bodyAsText
import io.ktor.utils.io.readAvailable
import io.ktor.utils.io.readLine
import io.ktor.utils.io.readBuffer
import java.security.MessageDigest
import java.util.Base64
import java.util.concurrent.CountDownLatch
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.io.readString
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test

/** A permit lasts until the end of the body. */
internal class BodiesTest : KtorCases() {

    private val more = CountDownLatch(1)

    private fun halves() = server { _, connection ->
        connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello\n\r\n")
        more.await()
        connection.write("6\r\nworld\n\r\n0\r\n\r\n")
    }

    @Test
    fun `a streamed body holds its permit until its end`() = runBlocking {
        val server = halves()
        client().prepareGet(server.url()).execute { response ->
            val body = response.bodyAsChannel()
            assertEquals("hello", body.readLine())
            assertEquals(1, limiter.snapshot().open())
            more.countDown()
            assertEquals("world\n", body.readBuffer().readString())
            assertEquals(0, limiter.snapshot().open())
        }
        assertPermits(1)
    }

    @Test
    fun `the last byte of a stated length ends the permit`() = runBlocking {
        val server = server { _, connection -> connection.ok("hello") }
        client().prepareGet(server.url()).execute { response ->
            val bytes = ByteArray(5)
            var read = 0
            while (read < 5) read += response.bodyAsChannel().readAvailable(bytes, read, 5 - read)
            assertEquals("hello", String(bytes))
            assertEquals(0, limiter.snapshot().open())
        }
        assertPermits(1)
    }

    @Test
    fun `a body that is left before its end is lost`() = runBlocking {
        val server = halves()
        client().prepareGet(server.url()).execute { response ->
            assertEquals("hello", response.bodyAsChannel().readLine())
        }
        assertPermits(1, lost = 1)
        more.countDown()
    }

    @Test
    fun `a body that is never read is lost`() = runBlocking {
        val server = halves()
        client().prepareGet(server.url()).execute { assertEquals(200, it.status.value) }
        assertPermits(1, lost = 1)
        more.countDown()
    }

    @Test
    fun `a body that is all in need not be read`() = runBlocking {
        val server = server { _, connection -> connection.ok("hello") }
        client().prepareGet(server.url()).execute { it.bodyAsChannel().awaitContent() }
        assertPermits(1)
    }

    @Test
    fun `a cancelled stream is lost`() = runBlocking {
        val server = halves()
        val began = CountDownLatch(1)
        val client = client()
        val call =
            launch(Dispatchers.Default) {
                client.prepareGet(server.url()).execute { response ->
                    val body = response.bodyAsChannel()
                    body.readLine()
                    began.countDown()
                    body.readLine()
                }
            }
        began.await()
        call.cancel()
        assertPermits(1, lost = 1)
        more.countDown()
    }

    @Test
    fun `a cut body is lost`() {
        val server = server { _, connection ->
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            connection.close()
        }
        val client = client()
        assertThrows(Exception::class.java) { runBlocking { client.get(server.url()).bodyAsText() } }
        assertPermits(1, lost = 1)
    }

    @Test
    fun `a response without a body ends its permit at once`() = runBlocking {
        val server = server { request, connection ->
            when {
                request.method() == "HEAD" ->
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
                request.path() == "/204" -> connection.write("HTTP/1.1 204 No Content\r\n\r\n")
                else -> connection.status(200)
            }
        }
        val client = client()
        for (path in listOf("/204", "/empty")) {
            client.prepareGet(server.url(path)).execute { assertEquals(0, limiter.snapshot().open()) }
        }
        client.head(server.url())
        assertPermits(3)
    }

    @Test
    fun `a redirect of a streamed call is no loss`() = runBlocking {
        val server = server { request, connection ->
            if (request.path() == "/") {
                connection.ok("hello")
            } else {
                connection.write(
                    "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 5\r\n\r\nmoved"
                )
            }
        }
        client().prepareGet(server.url("/moved")).execute { assertEquals("hello", it.bodyAsText()) }
        assertPermits(2)
    }

    @Test
    fun `a permit may end at the headers`() = runBlocking {
        val server = halves()
        client { answered(Answered.HEADERS) }.prepareGet(server.url()).execute { response ->
            assertEquals(0, limiter.snapshot().open())
            assertEquals("hello", response.bodyAsChannel().readLine())
        }
        assertPermits(1)
        more.countDown()
    }

    @Test
    fun `a long body passes whole`() = runBlocking {
        val long = "0123456789".repeat(300_000)
        val server = server { _, connection -> connection.ok(long) }
        assertEquals(long, client().get(server.url()).bodyAsText())
        client().prepareGet(server.url()).execute { response ->
            assertEquals(long, response.bodyAsChannel().readBuffer().readString())
        }
        assertPermits(2)
    }

    @Test
    fun `a session of events holds its permit until it ends`() = runBlocking {
        val server = server { _, connection ->
            connection.write(
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\ndata: hello\n\n"
            )
            more.await()
        }
        client({ install(SSE) }).sse(server.url()) {
            val open = incoming.map { limiter.snapshot().open() } // before the session is closed
            assertEquals(1, open.first())
        }
        assertPermits(1)
        more.countDown()
    }

    @Test
    fun `a session that connects again takes another permit`() = runBlocking {
        val server = server { _, connection ->
            connection.write(
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\ndata: hello\n\n"
            )
            connection.close()
        }
        val client =
            client({
                install(SSE) {
                    maxReconnectionAttempts = 1
                    reconnectionTime = 1.milliseconds
                }
            })
        client.sse(server.url()) { assertEquals(3, incoming.take(3).toList().size) }
        await { limiter.snapshot().open() == 0 }
        assertEquals(server.arrivals().toLong(), limiter.snapshot().granted())
    }

    private fun upgraded() = server { request, connection ->
        val accept = request.headers()["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        val hash = MessageDigest.getInstance("SHA-1").digest(accept.toByteArray())
        connection.write(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
                "Sec-WebSocket-Accept: ${Base64.getEncoder().encodeToString(hash)}\r\n\r\n"
        )
        connection.socket().getInputStream().readNBytes(8) // the frame that closes
        connection.write("\u0088\u0002\u0003\u00e8")
        connection.close()
    }

    @Test
    fun `a WebSocket holds its permit until it is closed`() = runBlocking {
        val server = upgraded()
        client({ install(WebSockets) }).webSocket("ws://localhost:${server.port()}/") {
            assertEquals(1, limiter.snapshot().open())
        }
        assertPermits(1)
    }

    @Test
    fun `a WebSocket whose permit ends at the headers holds none`() = runBlocking {
        val server = upgraded()
        val client = client({ install(WebSockets) }) { answered(Answered.HEADERS) }
        client.webSocket("ws://localhost:${server.port()}/") {
            assertEquals(0, limiter.snapshot().open())
        }
        assertPermits(1)
    }
}
