package dev.pacegate.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pacegate.Limiter;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A proxy that is a process of its own, with little memory. */
final class ProxyProcess implements AutoCloseable {

  final int port;
  final Process process;
  private final BufferedReader said;

  /** Begins one to an upstream, with a heap of so many MB and half as much beside it. */
  ProxyProcess(URI upstream, int heap) throws IOException {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    this.process =
        new ProcessBuilder(
                java.toString(),
                "-Xmx" + heap + "m",
                "-XX:MaxDirectMemorySize=" + heap / 2 + "m",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                ProxyProcess.class.getName(),
                upstream.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    this.said = process.inputReader(UTF_8);
    this.port = Integer.parseInt(said.readLine());
  }

  public static void main(String[] arguments) throws InterruptedException {
    var proxy =
        PacedProxy.builder(URI.create(arguments[0])).limiter(Limiter.of("peer(100000/1s)")).start();
    System.out.println(proxy.address().getPort());
    new CountDownLatch(1).await();
  }

  /** Returns how much of it was resident at most, in MB. */
  long peak() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
      if (line.startsWith("VmHWM:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024;
      }
    }
    throw new AssertionError("no VmHWM");
  }

  @Override
  public void close() throws IOException, InterruptedException {
    process.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
    said.close();
  }
}
