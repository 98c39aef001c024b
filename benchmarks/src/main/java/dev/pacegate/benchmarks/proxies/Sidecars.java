package dev.pacegate.benchmarks.proxies;

import dev.pacegate.benchmarks.Text;
import dev.pacegate.benchmarks.servers.Launcher;
import dev.pacegate.benchmarks.servers.NodeServers;
import dev.pacegate.benchmarks.servers.Proxies;
import dev.pacegate.benchmarks.servers.Server;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** An upstream that refuses what comes too early, behind Pacegate's proxy and behind others. */
public final class Sidecars {

  private static final int CLIENTS = 200;
  private static final String ACCESS_LOG = "access.log";

  private static final int ANSWERS = 20;

  /** A program that has just started is slower. */
  private static final int WARM_UP = 100;

  private final boolean quick;
  private final Fronts fronts;
  private final NodeServers node;

  /**
   * One row.
   *
   * @param arrived how many requests the upstream has seen, by its own log
   * @param refused how many of them it refused
   * @param answerTime of the upstream alone, in seconds
   */
  record Row(String title, Crowding.Got got, long arrived, long refused, double answerTime) {}

  private interface Front {
    Launcher to(int origin);
  }

  private Sidecars(Path folder, boolean quick) {
    this.quick = quick;
    this.fronts = new Fronts(folder);
    this.node = new NodeServers(Path.of("benchmarks/src/main/proxies").toAbsolutePath());
  }

  /** Takes a folder for what is left over, the page to write, and {@code --quick} for a look. */
  public static void main(String[] args) throws Exception {
    boolean quick = List.of(args).contains("--quick");
    Text page = new Sidecars(Path.of(args[0]), quick).run();
    Fronts.write(page, Path.of(args[1]), quick);
  }

  private Text run() throws IOException, InterruptedException {
    var length = Duration.ofSeconds(quick ? 5 : 60);
    var exact = new ArrayList<Row>();
    exact.add(row("Pacegate, `peer(spacing(20ms))`", pacegate(), length));
    exact.add(row("nginx, `limit_req` with `rate=50r/s` and `burst=200`", nginx(50), length));
    exact.add(row("Node, a bucket of 50 a second", bucket(50), length));
    var shorter = Duration.ofSeconds(quick ? 3 : 6);
    var slower = new ArrayList<Row>();
    slower.add(row("nginx, `rate=45r/s`", nginx(45), shorter));
    slower.add(row("Node, 45 a second", bucket(45), shorter));
    return new SidecarsText(CLIENTS, exact, slower).page(fronts);
  }

  private static Front pacegate() {
    return origin -> JavaFront.pacegate("peer(spacing(20ms))", origin);
  }

  private static Front nginx(int perSecond) {
    return origin ->
        Proxies.nginx(
            zone(perSecond), "limit_req zone=all burst=200; limit_req_status 429;", origin);
  }

  private Front bucket(int perSecond) {
    return origin -> node.script("bucket.js", "" + origin, "" + perSecond);
  }

  private static String zone(int perSecond) {
    return "limit_req_zone $server_port zone=all:1m rate=" + perSecond + "r/s;";
  }

  private Row row(String title, Front front, Duration length)
      throws IOException, InterruptedException {
    System.out.println(title);
    Path folder = fronts.newFolder();
    Files.writeString(Files.createDirectory(folder.resolve("www")).resolve("index.html"), "hello");
    Launcher strict =
        Proxies.nginx(zone(50), "limit_req zone=all; root www; access_log " + ACCESS_LOG + ";");
    try (Server upstream = fronts.start(strict, folder)) {
      Path log = folder.resolve(ACCESS_LOG);
      int before;
      Crowding.Got got;
      try (Server server = fronts.start(front.to(upstream.port()))) {
        answerTime(server.port(), WARM_UP);
        before = statuses(log).size();
        got = new Crowding(server.port()).run(CLIENTS, length);
      }
      List<String> logged = statuses(log);
      List<String> during = logged.subList(before, logged.size());
      double answerTime = answerTime(upstream.port(), ANSWERS); // now that the client is warm
      long refused = during.stream().filter(status -> status.equals("503")).count();
      return new Row(title, got, during.size(), refused, answerTime);
    }
  }

  private static List<String> statuses(Path log) throws IOException {
    return Files.readAllLines(log).stream()
        .map(line -> line.replaceAll(".*\" (\\d{3}) .*", "$1"))
        .toList();
  }

  /** Returns how long an answer takes that need not wait, in seconds. */
  private static double answerTime(int port, int times) throws IOException, InterruptedException {
    HttpClient client = HttpClient.newHttpClient();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/")).build();
    long spent = 0;
    for (int i = 0; i < times; i++) {
      Thread.sleep(25); // or it would refuse
      long start = System.nanoTime();
      client.send(request, BodyHandlers.discarding());
      spent += System.nanoTime() - start;
    }
    return spent / 1e9 / times;
  }
}
