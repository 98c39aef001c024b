package dev.pacegate.ktor

import io.ktor.http.ContentType
import io.ktor.http.Headers
import io.ktor.http.HttpHeaders
import io.ktor.http.HttpStatusCode
import io.ktor.http.charset
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.InputStream
import java.nio.charset.Charset
import java.util.zip.GZIPInputStream

/**
 * A response as the functions `settle` and `refused` read it. Its body is a copy of that which the
 * caller gets, up to 1 MiB, also when it is unpacked: of a longer one only the beginning.
 *
 * The function `settle` gets the whole body, of a stream, too. The function `refused` reads the body
 * before the caller does, so that is collected first; a stream of events (`text/event-stream`) or of
 * lines of JSON is not, and has no body yet. Nor has a session of WebSocket or SSE. Thread-safe.
 */
public class PeerResponse
internal constructor(
    /** The status. */
    public val status: HttpStatusCode,
    /** The headers. */
    public val headers: Headers,
) {
    private val copy = ByteArrayOutputStream(0)

    /** Returns a copy of the body, as far as it has been received; unpacked if it came as gzip. */
    public fun body(): ByteArray {
        val bytes = copy.toByteArray()
        val isGzip = headers[HttpHeaders.ContentEncoding]?.trim().equals("gzip", ignoreCase = true)
        return if (isGzip) unpacked(bytes) else bytes
    }

    /** Returns the body as text, in the charset that the response names; UTF-8 if it names none. */
    public fun text(): String = String(body(), charset())

    private fun unpacked(bytes: ByteArray): ByteArray {
        val all = ByteArrayOutputStream()
        try {
            GZIPInputStream(bytes.inputStream()).use { it.copyUpTo(MOST_BYTES, all) }
        } catch (cut: IOException) {
            // What came before it is all there is; some engines unpack a body and leave its headers.
            if (all.size() == 0) return bytes
        }
        return all.toByteArray()
    }

    /** A small body may unpack to one that does not fit into memory. */
    private fun InputStream.copyUpTo(most: Int, target: ByteArrayOutputStream) {
        val part = ByteArray(8 * 1024)
        while (target.size() < most) {
            val length = read(part, 0, minOf(part.size, most - target.size()))
            if (length < 0) return
            target.write(part, 0, length)
        }
    }

    private fun charset(): Charset =
        try {
            headers[HttpHeaders.ContentType]?.let { ContentType.parse(it).charset() } ?: Charsets.UTF_8
        } catch (unknown: Exception) {
            Charsets.UTF_8
        }

    /** Copies what the caller gets next. */
    internal fun add(bytes: ByteArray, from: Int, length: Int) {
        copy.write(bytes, from, minOf(length, MOST_BYTES - copy.size()))
    }

    internal companion object {
        /** The most bytes that are kept of a body. */
        const val MOST_BYTES: Int = 1024 * 1024
    }
}
