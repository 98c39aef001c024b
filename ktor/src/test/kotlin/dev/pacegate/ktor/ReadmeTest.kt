package dev.pacegate.ktor

import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.net.URLClassLoader
import java.nio.file.Path
import kotlin.io.path.readText
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir

/** Compiles all Kotlin of the README without a warning, and runs what has a `main`. */
@Tag("pages")
@Tag("slow")
internal class ReadmeTest : KtorCases() {

    @TempDir lateinit var folder: Path

    @Test
    fun `every snippet compiles and every main runs`() {
        val server = server { _, connection -> connection.ok("hello") }
        val snippets =
            SNIPPET.findAll(Path.of("README.md").readText())
                .map { it.groupValues[1].replace("https://example.com/", server.url()) }
                .toList()
        assertTrue(snippets.size >= 2, "$snippets")
        val compiler = Compiler(folder)
        val sources = snippets.withIndex().associate { (i, text) -> "S$i.kt" to "package s$i\n$text" }
        assertEquals(listOf<String>(), compiler.problems(sources))
        URLClassLoader(arrayOf(compiler.classes.toUri().toURL()), javaClass.classLoader).use { loader ->
            val printed = snippets.indices.filter { "fun main()" in snippets[it] }.map { run(loader, it) }
            assertEquals(listOf("hello"), printed)
        }
    }

    private fun run(loader: ClassLoader, number: Int): String {
        val out = System.out
        val printed = ByteArrayOutputStream()
        System.setOut(PrintStream(printed))
        try {
            val main = loader.loadClass("s$number.S${number}Kt").getMethod("main", Array<String>::class.java)
            main.invoke(null, arrayOf<String>())
        } finally {
            System.setOut(out)
        }
        return printed.toString().trim()
    }

    private companion object {
        val SNIPPET = Regex("""(?ms)^```kotlin\n(.*?)^```""")
    }
}
