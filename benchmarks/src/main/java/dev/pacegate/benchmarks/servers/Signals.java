package dev.pacegate.benchmarks.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Sends signals to a process. A shell that is there already does it, by its own {@code kill}: to
 * start a program for each signal can take a second on a busy machine.
 */
final class Signals implements AutoCloseable {

  private final long pid;
  private final Process shell;
  private final BufferedReader answers;

  Signals(long pid) throws IOException {
    this.pid = pid;
    this.shell = new ProcessBuilder("sh").start();
    this.answers = shell.inputReader(StandardCharsets.UTF_8);
  }

  /** Returns once the signal is sent. */
  void send(String name) throws IOException {
    OutputStream commands = shell.getOutputStream();
    String command = "kill -" + name + " " + pid + " && echo sent || echo not sent\n";
    commands.write(command.getBytes(StandardCharsets.UTF_8));
    commands.flush();
    if (!"sent".equals(answers.readLine())) {
      throw new IOException("a server has ended before it was told to");
    }
  }

  @Override
  public void close() {
    shell.destroy();
  }
}
