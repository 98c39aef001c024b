package dev.pacegate.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Clients of limits that have none of their user: they notice a silent connection and connect anew
 * soon. It owns them, and their threads.
 */
final class OwnClient {

  private static final Duration RECONNECT_AFTER = Duration.ofMillis(50);
  private static final Duration LONGEST_SILENCE = Duration.ofSeconds(1);
  private static final Duration LONGEST_CONNECT = Duration.ofSeconds(2);
  private static final Duration LONGEST_SHUTDOWN = Duration.ofSeconds(2);

  private final ClientResources resources =
      ClientResources.builder()
          .reconnectDelay(Delay.constant(RECONNECT_AFTER))
          .nettyCustomizer(new Customizer())
          .build();
  private final List<Runnable> clients = new ArrayList<>(); // ends them

  /** Returns a client of one server, or of Sentinel. */
  RedisClient client(RedisURI uri) {
    return set(RedisClient.create(resources, uri));
  }

  /** Returns a client of servers that are told later. */
  RedisClient client() {
    return set(RedisClient.create(resources));
  }

  private RedisClient set(RedisClient made) {
    clients.add(() -> made.shutdown(Duration.ZERO, LONGEST_SHUTDOWN));
    made.setOptions(
        ClientOptions.builder()
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
            .socketOptions(SocketOptions.builder().connectTimeout(LONGEST_CONNECT).build())
            .build());
    return made;
  }

  /** Returns a client of a cluster. */
  RedisClusterClient clusterClient(RedisURI uri) {
    RedisClusterClient made = RedisClusterClient.create(resources, uri);
    clients.add(() -> made.shutdown(Duration.ZERO, LONGEST_SHUTDOWN));
    made.setOptions(
        ClusterClientOptions.builder()
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
            .socketOptions(SocketOptions.builder().connectTimeout(LONGEST_CONNECT).build())
            .build());
    return made;
  }

  void shutDown() {
    clients.forEach(Runnable::run);
    resources
        .shutdown(0, LONGEST_SHUTDOWN.toSeconds(), TimeUnit.SECONDS)
        .awaitUninterruptibly(2000);
  }

  private static final class Customizer implements NettyCustomizer {
    @Override
    public void afterChannelInitialized(Channel channel) {
      SilenceGuard.guard(channel, LONGEST_SILENCE);
    }
  }
}
