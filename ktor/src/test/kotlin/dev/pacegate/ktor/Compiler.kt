package dev.pacegate.ktor

import java.io.ByteArrayOutputStream
import java.io.File.pathSeparator
import java.io.PrintStream
import java.nio.file.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.writeText
import org.jetbrains.kotlin.cli.common.ExitCode
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler

/** Compiles as a user does, with no option but those that are said. */
internal class Compiler(private val folder: Path) {

    val classes: Path = folder.resolve("classes")

    /** Returns errors and warnings as `File.kt:line: what`, for sources by the names of their files. */
    fun problems(sources: Map<String, String>): List<String> {
        folder.createDirectories()
        val files = sources.map { (name, text) -> "${folder.resolve(name).apply { writeText(text) }}" }
        val output = ByteArrayOutputStream()
        val options = arrayOf("-no-stdlib", "-no-reflect", "-cp", CLASS_PATH, "-d", "$classes")
        val exit = K2JVMCompiler().exec(PrintStream(output), *options, *files.toTypedArray())
        val said = output.toString()
        val problems = PROBLEM.findAll(said).map { "${it.groupValues[1]}: ${it.groupValues[2]}" }.toList()
        check(exit == ExitCode.OK || exit == ExitCode.COMPILATION_ERROR && problems.isNotEmpty()) { said }
        return problems
    }

    private companion object {
        val PROBLEM = Regex("""(\w+\.kt:\d+):\d+: (?:error|warning): (.*)""")

        /** Users do not have JSpecify. */
        val CLASS_PATH: String =
            (System.getProperty("surefire.test.class.path") ?: System.getProperty("java.class.path"))
                .split(pathSeparator)
                .filterNot { it.contains("jspecify") }
                .joinToString(pathSeparator)
    }
}
