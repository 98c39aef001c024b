package dev.pacegate.redis.rig;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A redis-server of a test's own: on a free port of the loopback, with a folder of its own. It ends
 * with the JVM at the latest.
 *
 * <pre>{@code
 * try (var redis = RedisServer.start(Version.V6_2)) {
 *   redis.command("SET", "key", "value");
 * }
 * }</pre>
 *
 * <p>Used by one thread.
 */
public final class RedisServer implements AutoCloseable {

  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final int SOCKET_MILLIS = 30_000;

  private final RedisSetup setup;
  private final Path folder;
  private final @Nullable Certificate certificate;
  private final @Nullable SSLContext client;
  private final int port;
  private Process process;

  private RedisServer(RedisSetup setup, Path folder) throws Exception {
    this.setup = setup;
    this.folder = folder;
    this.port = setup.freePort();
    this.certificate = setup.certificate(folder);
    this.client = certificate == null ? null : certificate.client();
    Files.writeString(folder.resolve("redis.conf"), setup.config(port, certificate));
    this.process = launch();
  }

  /** Says which server; {@link RedisSetup#start()} starts it. */
  public static RedisSetup with(Version version) {
    return new RedisSetup(version);
  }

  /** Starts a plain server and waits until it answers. */
  public static RedisServer start(Version version) throws Exception {
    return with(version).start();
  }

  static RedisServer start(RedisSetup setup) throws Exception {
    for (int attempt = 1; ; attempt++) {
      Path folder = Folders.make("server");
      try {
        return started(new RedisServer(setup, folder));
      } catch (Throwable e) {
        boolean again = portTaken(folder) && attempt < 5;
        Folders.delete(folder);
        if (!again) {
          throw e;
        }
      }
    }
  }

  private static RedisServer started(RedisServer server) throws Exception {
    try {
      server.awaitAnswer();
      return server;
    } catch (Throwable e) {
      Processes.kill9(server.process);
      throw e;
    }
  }

  private static boolean portTaken(Path folder) throws IOException {
    Path output = folder.resolve("output");
    return Files.exists(output) && Files.readString(output).contains("Address already in use");
  }

  private Process launch() throws IOException {
    var builder =
        new ProcessBuilder(setup.command())
            .directory(folder.toFile()) // where a server writes what it writes
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("output").toFile()));
    builder.environment().putAll(setup.environment());
    return Processes.start(builder);
  }

  private void awaitAnswer() throws Exception {
    Await.until(
        () -> "redis-server answers; it says:\n" + output(),
        LONGEST,
        () -> {
          if (!process.isAlive()) {
            throw new AssertionError("redis-server has ended; it says:\n" + output());
          }
          return Objects.equals(command("PING"), "PONG");
        });
  }

  /** Returns where it is, as Lettuce and Redisson read it, with the password if there is one. */
  public String uri() {
    String password = setup.password();
    return uri(password == null ? "" : ":" + password + "@");
  }

  /** Returns where it is, for a user of {@link RedisSetup#user}. */
  public String uri(String user, String password) {
    return uri(user + ":" + password + "@");
  }

  private String uri(String login) {
    return (client == null ? "redis://" : "rediss://") + login + "127.0.0.1:" + port;
  }

  /** Returns its port. */
  public int port() {
    return port;
  }

  /** Returns the number of its process; another one after {@link #restart()}. */
  public long pid() {
    return process.pid();
  }

  /** Returns whether its process runs, or is stopped by {@link #stop()}. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Returns the certificate of a server with TLS, in the form PEM, for clients to trust. */
  public Path certificate() {
    return Objects.requireNonNull(certificate, "a server without TLS").certificate();
  }

  /** Returns what the server has logged. */
  public String output() {
    try {
      return Files.readString(folder.resolve("output"));
    } catch (IOException e) {
      return "nothing that can be read: " + e;
    }
  }

  /**
   * Sends a command on a connection of its own, as the default user, and waits for the reply.
   *
   * @return a String, a Long, a List of these, or null
   * @throws RedisErrorException if the reply is an error
   */
  public @Nullable Object command(String... words) throws IOException {
    try (var connection = new RespConnection(socket())) {
      if (setup.password() != null) {
        connection.call("AUTH", setup.password());
      }
      return connection.call(words);
    }
  }

  private Socket socket() throws IOException {
    Socket socket =
        client == null
            ? new Socket(InetAddress.getLoopbackAddress(), port)
            : client.getSocketFactory().createSocket("localhost", port);
    socket.setSoTimeout(SOCKET_MILLIS);
    return socket;
  }

  /** Returns a line of INFO: {@code info("replication", "master_link_status")}, or null. */
  public @Nullable String info(String section, String name) throws IOException {
    return String.valueOf(command("INFO", section))
        .lines()
        .filter(line -> line.startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1))
        .findFirst()
        .orElse(null);
  }

  /** Kills it, as a power cut would. Connections to it break; nothing is saved. */
  public void kill9() throws InterruptedException {
    Processes.kill9(process);
  }

  /** Starts it again on the same port with the same settings, after killing it if it still runs. */
  public void restart() throws Exception {
    kill9();
    process = launch();
    awaitAnswer();
  }

  /** Makes it stand still (SIGSTOP): connections stay open, replies do not come. */
  public void stop() throws IOException, InterruptedException {
    Processes.stop(process);
  }

  /** Lets it go on after {@link #stop()}. */
  public void cont() throws IOException, InterruptedException {
    Processes.cont(process);
  }

  /** Makes a replica a primary. */
  public void promote() throws IOException {
    command("REPLICAOF", "NO", "ONE");
  }

  /** Makes it a replica of another, whose data replaces its own. */
  public void follow(RedisServer primary) throws IOException {
    follow(primary.port());
  }

  /** Makes it a replica of the server behind a proxy. */
  public void follow(CutProxy link) throws IOException {
    follow(link.port());
  }

  private void follow(int port) throws IOException {
    command("REPLICAOF", "127.0.0.1", Integer.toString(port));
  }

  /**
   * Waits until this replica has all that its primary has now, and the primary tells so. (WAIT
   * would not do: it waits for the writes of its own connection only, and {@link #command} has one
   * for each command.)
   */
  public void awaitInStep(RedisServer primary) throws IOException, InterruptedException {
    long offset = offset(primary, "master_repl_offset");
    Await.until(
        () -> "the replica is in step; it says:\n" + output(),
        LONGEST,
        () ->
            Objects.equals(info("replication", "master_link_status"), "up")
                && offset(this, "slave_repl_offset") >= offset
                && primary.lists(this));
  }

  /** A replica knows that it is in step up to a second before its primary does. */
  private boolean lists(RedisServer replica) throws IOException {
    String known = "port=" + replica.setup.announced(replica.port) + ",state=online,offset=";
    String replication = String.valueOf(command("INFO", "replication"));
    return replication.contains(known) && !replication.contains(known + "0,");
  }

  private static long offset(RedisServer server, String name) throws IOException {
    return Long.parseLong(Objects.requireNonNull(server.info("replication", name), name));
  }

  /** Kills it and deletes its folder. */
  @Override
  public void close() throws IOException, InterruptedException {
    process.destroyForcibly(); // there is nothing to save
    process.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS);
    Folders.delete(folder);
  }
}
