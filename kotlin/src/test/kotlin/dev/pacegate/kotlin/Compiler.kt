package dev.pacegate.kotlin

import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.nio.file.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.writeText
import org.jetbrains.kotlin.cli.common.ExitCode
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler

/** Compiles as a user does, with no option but those that are said. */
internal class Compiler(private val folder: Path) {

    val classes: Path = folder.resolve("classes")

    /** Returns what the compiler says, by line of [source]: nothing if it compiles. */
    fun problems(source: String, vararg options: String): Map<Int, String> {
        folder.createDirectories()
        val file = folder.resolve("Snippet.kt")
        file.writeText(source)
        val output = ByteArrayOutputStream()
        val arguments = arrayOf("-no-stdlib", "-no-reflect", "-cp", CLASS_PATH, "-d", "$classes", "$file")
        val exit = K2JVMCompiler().exec(PrintStream(output), *options, *arguments)
        val said = output.toString()
        check(exit == ExitCode.OK || exit == ExitCode.COMPILATION_ERROR) { said }
        val problems = PROBLEM.findAll(said).associate { it.groupValues[1].toInt() to it.groupValues[2] }
        check((exit == ExitCode.OK) == problems.isEmpty()) { said }
        return problems
    }

    private companion object {
        val PROBLEM = Regex("""Snippet\.kt:(\d+):\d+: error: (.*)""")
        val CLASS_PATH: String =
            System.getProperty("surefire.test.class.path") ?: System.getProperty("java.class.path")
    }
}
