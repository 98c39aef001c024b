package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** {@code pacegate proxy} in a process of its own, which is killed at the end. */
final class ProxyUnderTest implements AutoCloseable {

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Process process;
  private final BufferedReader told;
  private final String port;
  private final String admin;

  /** Returns once it listens. */
  ProxyUnderTest(String... options) throws IOException {
    var all = new ArrayList<>(List.of("proxy"));
    all.addAll(List.of(options));
    all.addAll(List.of("--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"));
    this.process =
        new ProcessBuilder(ProcessTest.java(Main.class, all.toArray(String[]::new)))
            .redirectErrorStream(true)
            .start();
    this.told = process.inputReader(UTF_8);
    this.port = portAfter("listening on");
    this.admin = portAfter("admin on");
  }

  private String portAfter(String words) throws IOException {
    var before = new ArrayList<String>();
    for (String line = told.readLine(); line != null; line = told.readLine()) {
      if (line.contains(words)) {
        return line.substring(line.lastIndexOf(':') + 1);
      }
      before.add(line);
    }
    throw new AssertionError("it did not say " + words + ": " + before);
  }

  CompletableFuture<HttpResponse<String>> send(String target, String... headers) {
    return client.sendAsync(request(port, target, headers), BodyHandlers.ofString());
  }

  int get(String target, String... headers) {
    return send(target, headers).join().statusCode();
  }

  HttpResponse<String> admin(String path) throws IOException, InterruptedException {
    return client.send(request(admin, path), BodyHandlers.ofString());
  }

  private static HttpRequest request(String port, String target, String... headers) {
    var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target));
    return headers.length == 0 ? request.build() : request.headers(headers).build();
  }

  /** Returns the figure of the metric whose line begins so. */
  double figure(String name) throws IOException, InterruptedException {
    return admin("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  boolean isAtRest() throws IOException, InterruptedException {
    return figure("pacegate_proxy_open ") == 0
        && figure("pacegate_permits_open{") == 0
        && figure("pacegate_permits_waiting{") == 0;
  }

  /** Kills it, as {@code kill -9} does. */
  @Override
  public void close() throws IOException, InterruptedException {
    process.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
    told.close();
  }
}
