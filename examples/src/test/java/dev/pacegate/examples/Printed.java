package dev.pacegate.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

/** The lines that a program prints. */
final class Printed {

  /** The {@code main} of a program. */
  @FunctionalInterface
  interface Program {
    void run(String[] arguments) throws Exception;
  }

  private Printed() {}

  /** Runs a program without arguments, in this thread, and returns what it printed meanwhile. */
  static List<String> by(Program program) throws Exception {
    var bytes = new ByteArrayOutputStream();
    PrintStream before = System.out;
    var out = new PrintStream(bytes, true, UTF_8);
    System.setOut(out);
    try {
      program.run(new String[0]);
    } finally {
      System.setOut(before);
    }
    out.flush();
    return bytes.toString(UTF_8).lines().toList();
  }
}
