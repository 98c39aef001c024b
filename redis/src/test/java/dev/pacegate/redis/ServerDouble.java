package dev.pacegate.redis;

import dev.pacegate.time.Time;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisClient;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.PushHandler;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A server that is no process, and the connection to it. It answers what a {@link NodeCheck} asks,
 * and a test the rest. Used by one thread.
 */
final class ServerDouble {

  final Wire wire = new Wire();
  final DoubleConnection connection;

  /** What it has not answered. */
  final List<Asked> asked = new ArrayList<>();

  String run = "run";
  String mode;
  boolean isSilent;
  int quits; // how often it was to end the connection

  private final RedisClient client;

  /** A connection that leads nowhere. */
  static final class DoubleConnection extends StatefulRedisConnectionImpl<String, String> {

    private final RedisAsyncCommands<String, String> commands;

    private DoubleConnection(
        RedisClient client, Duration timeout, RedisAsyncCommands<String, String> commands) {
      super(
          proxy(
              RedisChannelWriter.class,
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "getClientResources" -> client.getResources();
                    case "closeAsync" -> CompletableFuture.completedFuture(null);
                    default -> null;
                  }),
          proxy(PushHandler.class, (proxy, method, arguments) -> null),
          StringCodec.UTF8,
          timeout);
      this.commands = commands;
      activated();
    }

    @Override
    public RedisAsyncCommands<String, String> async() {
      return commands;
    }

    @Override
    @SuppressWarnings("unchecked")
    protected RedisCommands<String, String> newRedisSyncCommandsImpl() {
      return proxy(RedisCommands.class, (proxy, method, arguments) -> null); // is not used
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  /**
   * Creates it.
   *
   * @param mode in which it runs
   * @param timeout of the connection's commands
   */
  ServerDouble(RedisClient client, String mode, Duration timeout) {
    this.client = client;
    this.mode = mode;
    this.connection = new DoubleConnection(client, timeout, Asked.connection(this::ask).async());
    wire.follow(connection);
  }

  private void ask(Asked command) {
    if (command.isNamed("quit")) {
      quits++;
      return;
    }
    Object answer = isSilent ? null : answer(command.text());
    if (answer == null) {
      asked.add(command);
    } else {
      command.complete(answer);
    }
  }

  private @Nullable Object answer(String command) {
    if (command.equals("info server")) {
      return "redis_version:7.0.15\r\nredis_mode:" + mode + "\r\nrun_id:" + run + "\r\n";
    } else if (command.equals("info replication")) {
      return "role:master\r\nconnected_slaves:0\r\n";
    } else if (command.equals("info memory")) {
      return "maxmemory_human:0B\r\nmaxmemory_policy:noeviction\r\n";
    } else if (command.startsWith("configGet")) {
      return Map.of();
    } else if (command.startsWith("waitForReplication")) {
      return 0L;
    } else if (command.endsWith(Script.PROBE.source()) || command.endsWith(Script.PROBE.digest())) {
      return List.of();
    }
    return null;
  }

  /** Answers what it has kept of a check. */
  void answerAll() {
    isSilent = false;
    List<Asked> all = List.copyOf(asked);
    asked.clear();
    all.forEach(
        each -> {
          Object answer = answer(each.text());
          if (answer != null) {
            each.complete(answer);
          } else {
            asked.add(each);
          }
        });
  }

  /** Returns the server as a node, which is to run in the mode in which it runs. */
  Node node(Time time) {
    var demands = new NodeCheck.Demands(mode, List.of("pacegate:{}"), null, false);
    return new Node(client, connection, wire, demands, eviction -> {}, connection, time);
  }

  /** The connection is lost, and the client makes another. */
  void reconnect() {
    lose();
    connection.activated();
  }

  /** The connection is lost. */
  void lose() {
    connection.deactivated();
    wire.lose();
  }

  /** The client closes the connection, and makes no other. */
  void closeConnection() {
    var unused = connection.closeAsync();
    wire.lose();
  }
}
