package dev.pacegate.kotlin

import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.net.URLClassLoader
import java.nio.file.Path
import kotlin.io.path.readText
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.api.io.TempDir

/** Compiles all Kotlin of the README and of the recipes without a warning, and runs what has a `main`. */
@Timeout(120)
@Tag("pages")
@Tag("slow")
class ReadmeTest {

    @TempDir lateinit var folder: Path

    @Test
    fun `every snippet compiles and every main runs`() {
        val snippets = PAGES.flatMap { page -> SNIPPET.findAll(page.readText()).map { it.groupValues[1] } }
        assertTrue(snippets.size >= 3, "$snippets")
        val compiler = Compiler(folder)
        val sources = snippets.withIndex().associate { (i, text) -> "S$i.kt" to around(i, text) }
        assertEquals(listOf<String>(), compiler.problems(sources))
        URLClassLoader(arrayOf(compiler.classes.toUri().toURL()), javaClass.classLoader).use { loader ->
            val printed = snippets.indices.filter { "fun main()" in snippets[it] }.map { run(loader, it) }
            assertEquals("sent hello", printed.first())
        }
    }

    /** A file of its own, with a request of the user's. */
    private fun around(number: Int, text: String): String {
        val (imports, body) = text.lines().partition { it.startsWith("import ") }
        val send = "private fun send(text: String) = \"sent \$text\""
        return (listOf("package s$number") + imports + send + body).joinToString("\n")
    }

    private fun run(loader: ClassLoader, number: Int): String {
        val out = System.out
        val printed = ByteArrayOutputStream()
        System.setOut(PrintStream(printed))
        try {
            loader.loadClass("s$number.S${number}Kt").getMethod("main", Array<String>::class.java).invoke(null, arrayOf<String>())
        } finally {
            System.setOut(out)
        }
        return printed.toString().trim()
    }

    private companion object {
        val PAGES = listOf(Path.of("README.md"), Path.of("../docs/recipes.md"))
        val SNIPPET = Regex("""(?ms)^```kotlin\n(.*?)^```""")
    }
}
