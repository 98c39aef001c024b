package dev.pacegate.kotlin

import dev.pacegate.WaitTooLongException
import dev.pacegate.limit.Outcome
import dev.pacegate.time.ManualTime
import java.io.IOException
import kotlin.time.Duration.Companion.seconds
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

@Timeout(60)
class CallBlockingTest {

    private val limiter = limiter(TELLS, ManualTime.manual())

    @AfterEach fun nothingIsLeft() = assertNothingLeft(limiter)

    @Test
    fun `types are inferred, nullable ones too`() {
        val answer: String? = limiter.callBlocking { if (limiter.name().isEmpty()) "hello" else null }
        assertNull(answer)
        assertEquals(Outcome.ANSWERED, outcome(limiter))
    }

    @Test
    fun `a failure is thrown as it is and ends the permit`() {
        assertThrows(IOException::class.java) { limiter.callBlocking { throw IOException("reset") } }
        assertEquals(Outcome.LOST, outcome(limiter))
    }

    @Test
    fun `it waits no longer than is said`() {
        limiter.callBlocking {}
        assertThrows(WaitTooLongException::class.java) { limiter.callBlocking(maxWait = 9.seconds) {} }
    }
}
