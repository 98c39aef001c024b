package dev.pacegate.redis.rig;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link RedisServer} is to be started. Without more it is empty, open to all and writes
 * nothing to disk.
 */
public final class RedisSetup {

  private final Version version;
  private final Map<String, String> settings = new TreeMap<>();
  private final List<String> users = new ArrayList<>();
  private @Nullable String password;
  private @Nullable StandingClock clock;
  private boolean tls;
  private boolean sentinel;
  private boolean cluster;
  private int announced;
  private String announcedHost = "127.0.0.1";
  private @Nullable Certificate shared;

  RedisSetup(Version version) {
    this.version = version;
    settings.put("bind", "127.0.0.1");
    settings.put("save", "\"\"");
    settings.put("appendonly", "no");
    settings.put("daemonize", "no");
    // A replica is there at once, and both sides soon see that the other has gone.
    settings.put("repl-diskless-sync", "yes");
    settings.put("repl-diskless-sync-delay", "0");
    settings.put("repl-ping-replica-period", "1");
  }

  /**
   * Any line of the configuration file, such as {@code set("appendonly", "yes")}. The last one of a
   * name counts.
   */
  public RedisSetup set(String name, String value) {
    settings.put(name, value);
    return this;
  }

  /** What the default user must say, replicas too. */
  public RedisSetup password(String password) {
    this.password = password;
    set("requirepass", password);
    return set("masterauth", password);
  }

  /** Another user, by ACL rules: {@code user("app on >secret ~* +@all -info")}. */
  public RedisSetup user(String rules) {
    users.add(rules);
    return this;
  }

  /**
   * How much it may keep, and what goes when that is reached: {@code maxMemory("2mb",
   * "allkeys-lru")}.
   */
  public RedisSetup maxMemory(String bytes, String policy) {
    set("maxmemory", bytes);
    return set("maxmemory-policy", policy);
  }

  /** Writes are refused while fewer replicas are there, or they are further behind. */
  public RedisSetup minReplicasToWrite(int replicas, int maxLagSeconds) {
    set("min-replicas-to-write", Integer.toString(replicas));
    return set("min-replicas-max-lag", Integer.toString(maxLagSeconds));
  }

  /** A replica of a server that runs. */
  public RedisSetup replicaOf(RedisServer primary) {
    return set("replicaof", "127.0.0.1 " + primary.port());
  }

  /** No server but a Sentinel, which watches a server that runs under the name {@code primary}. */
  public RedisSetup sentinelOf(RedisServer primary) {
    return sentinel(primary.port(), 1);
  }

  /** A Sentinel that must agree with others, so many in all, that the server is away. */
  RedisSetup sentinel(int port, int quorum) {
    this.sentinel = true;
    return set("sentinel monitor primary", "127.0.0.1 " + port + " " + quorum);
  }

  /** A node of a Cluster, with its bus on the port {@link Ports#BUS} above its own. */
  RedisSetup cluster() {
    this.cluster = true;
    return set("cluster-enabled", "yes");
  }

  /** Its connections to other servers come from that address of the loopback. */
  RedisSetup from(String address) {
    if (version != Version.V6_2) {
      set("bind-source-addr", address);
    }
    return set("bind", address + " 127.0.0.1"); // 6.2 takes the first
  }

  /** Others are told this port in place of its own. */
  RedisSetup announce(int port) {
    this.announced = port;
    set("replica-announce-ip", announcedHost);
    return set("replica-announce-port", Integer.toString(port));
  }

  /** Its primary is told that it is there, by a name that none needs to resolve. */
  public RedisSetup announceHost(String name) {
    this.announcedHost = name;
    return this;
  }

  /** As {@link #tls()}, with a certificate of others too. */
  RedisSetup tls(Certificate certificate) {
    this.shared = certificate;
    return tls();
  }

  /** Speaks TLS only, with a certificate of its own: {@link RedisServer#certificate()}. */
  public RedisSetup tls() {
    this.tls = true;
    return this;
  }

  /** Has that clock, not its machine's. Only for {@link Version#V7}. */
  public RedisSetup clock(StandingClock clock) {
    this.clock = clock;
    return this;
  }

  /** Starts it and waits until it answers. */
  public RedisServer start() throws Exception {
    return RedisServer.start(this);
  }

  int freePort() throws IOException {
    return cluster ? Ports.freeWithBus() : Ports.free();
  }

  /** Returns the port that others are told. */
  int announced(int port) {
    return announced == 0 ? port : announced;
  }

  Version version() {
    return version;
  }

  @Nullable String password() {
    return password;
  }

  boolean hasTls() {
    return tls;
  }

  /** Returns the certificate of a server in that folder; null if it has none. */
  @Nullable Certificate certificate(Path folder)
      throws IOException, InterruptedException, GeneralSecurityException {
    return tls && shared == null ? new Certificate(folder) : shared;
  }

  /** Returns the command that starts it in its folder. */
  List<String> command() throws IOException {
    String program = version.program().toString();
    return sentinel ? List.of(program, "redis.conf", "--sentinel") : List.of(program, "redis.conf");
  }

  /** Returns what its process finds in its environment, beside what this JVM has there. */
  Map<String, String> environment() {
    return clock == null ? Map.of() : clock.environment();
  }

  /** Returns a configuration file for a port. */
  String config(int port, @Nullable Certificate certificate) {
    var lines = new StringBuilder();
    if (certificate == null) {
      lines.append("port ").append(port).append('\n');
    } else {
      lines.append("port 0\ntls-port ").append(port).append("\ntls-replication yes\n");
      lines.append(cluster ? "tls-cluster yes\n" : "");
      lines.append("tls-auth-clients no\ntls-cert-file ").append(certificate.certificate());
      lines.append("\ntls-key-file ").append(certificate.key());
      lines.append("\ntls-ca-cert-file ").append(certificate.certificate()).append('\n');
    }
    settings.forEach((name, value) -> lines.append(name).append(' ').append(value).append('\n'));
    users.forEach(rules -> lines.append("user ").append(rules).append('\n'));
    return lines.toString();
  }
}
