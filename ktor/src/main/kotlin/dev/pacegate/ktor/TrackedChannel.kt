package dev.pacegate.ktor

import dev.pacegate.adapter.PacedRequest
import io.ktor.utils.io.ByteReadChannel
import io.ktor.utils.io.ByteWriteChannel
import io.ktor.utils.io.InternalAPI
import java.io.IOException
import java.io.OutputStream
import java.nio.ByteBuffer
import java.util.concurrent.atomic.AtomicBoolean
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.io.Buffer
import kotlinx.io.Source
import kotlinx.io.copyTo

/** A body whose end is told to its request. Read by one coroutine at a time. */
@OptIn(InternalAPI::class)
internal class TrackedChannel(
    private val body: ByteReadChannel,
    private val request: PacedRequest<PeerResponse>,
    private val copy: PeerResponse?,
    private var missing: Long, // of the stated length; negative if there is none
) : ByteReadChannel {

    private val buffer = Buffer() // what is in, and not read yet
    private val over = AtomicBoolean() // its end is told
    private val parts = Parts()

    override val closedCause: Throwable?
        get() = body.closedCause

    override val isClosedForRead: Boolean
        get() = buffer.exhausted() && body.isClosedForRead.also { if (it) closed() }

    override val readBuffer: Source
        get() {
            move()
            return buffer
        }

    override suspend fun awaitContent(min: Int): Boolean {
        move()
        while (buffer.size < min) {
            if (!awaitMore()) return false
        }
        return true
    }

    private suspend fun awaitMore(): Boolean {
        val more =
            try {
                body.awaitContent()
            } finally {
                if (body.closedCause != null) closed()
            }
        if (more) move() else closed()
        return more
    }

    private fun move() {
        val before = buffer.size
        buffer.transferFrom(body.readBuffer)
        val moved = buffer.size - before
        if (moved > 0) {
            buffer.copyTo(parts, before)
            missing -= moved
            if (missing == 0L) closed()
        }
    }

    /** Shows bytes to the request. */
    private inner class Parts : OutputStream() {
        override fun write(single: Int) = write(byteArrayOf(single.toByte()))

        override fun write(bytes: ByteArray, from: Int, length: Int) {
            request.bodyPart(ByteBuffer.wrap(bytes, from, length))
            copy?.add(bytes, from, length)
        }
    }

    /** Some engines close a body that was cut as any other. */
    private fun closed() = end(isWhole = body.closedCause == null && missing <= 0)

    private fun end(isWhole: Boolean) {
        if (over.compareAndSet(false, true)) {
            if (isWhole) request.bodyEnded() else request.aborted()
        }
    }

    /** Its reader has left. The engine may have closed its channel before, with all bytes in it. */
    fun left() {
        end(isWhole = body.closedCause == null && body is ByteWriteChannel && body.isClosedForWrite)
    }

    /** Waits until the whole body is in, or as much as that; who reads it later sees it fail. */
    suspend fun collect(most: Int) {
        try {
            while (buffer.size < most && awaitMore()) {
                // The buffer grows.
            }
        } catch (broken: IOException) {
            currentCoroutineContext().ensureActive()
        }
    }

    override fun cancel(cause: Throwable?) {
        body.cancel(cause)
        left() // the call may go on, as that of a session that connects again
        buffer.clear()
    }
}
