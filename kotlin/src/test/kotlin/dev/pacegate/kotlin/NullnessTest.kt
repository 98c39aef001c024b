package dev.pacegate.kotlin

import java.nio.file.Path
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.api.io.TempDir

/** Kotlin's compiler sees what may be null, with its default options and without JSpecify. */
@Timeout(120)
class NullnessTest {

    @TempDir lateinit var folder: Path

    @Test
    fun `a value that may be null must be asked, and null goes only where it may`() {
        val source =
            """
            import dev.pacegate.*
            import dev.pacegate.kotlin.*
            import dev.pacegate.limit.*
            import dev.pacegate.time.Time

            fun polled(api: Limiter): Permit? = api.poll(Cost.ONE)
            fun inferred(api: Limiter): String = api.callBlocking { "hello" }
            fun nullable(api: Limiter): String? = api.callBlocking { null }
            suspend fun suspended(api: Limiter): Int = api.awaitPermit().cost().hashCode()
            fun named(keyed: KeyedLimiter<String>): String = keyed.limiter("a").name()

            fun unasked(api: Limiter): Permit = api.poll(Cost.ONE) // wrong
            fun given(api: Limiter, cost: Cost?): Permit = api.acquire(cost) // wrong
            fun limit(text: String?): Limiter = Limiter.of(text) // wrong
            fun time(time: Time?) = Limiter.builder("10/1m").time(time) // wrong
            fun key(): KeyedLimiter<String?> = TODO() // wrong
            suspend fun job(api: Limiter): String = api.withPermit { null } // wrong
            """
                .trimIndent()
        assertProblems(source)
    }

    @Test
    fun `a value that is never null need not be asked`() =
        assertProblems(
            """
            fun name(api: dev.pacegate.Limiter): Int = api.name().length
            fun asked(api: dev.pacegate.Limiter): Int? = api.name()?.length // wrong
            """
                .trimIndent()
        )

    /** Errors hide warnings, so a source has only one kind of them. */
    private fun assertProblems(source: String) {
        val wrong = source.lines().withIndex().filter { it.value.endsWith("// wrong") }
        val problems = Compiler(folder).problems(mapOf("Snippet.kt" to source))
        assertEquals(wrong.map { "Snippet.kt:${it.index + 1}" }, problems.map { it.substringBefore(": ") }.sorted())
    }
}
