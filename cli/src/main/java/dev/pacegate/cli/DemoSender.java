package dev.pacegate.cli;

import dev.pacegate.Limiter;
import dev.pacegate.redis.RedisLimiters;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.logging.LogManager;

/** A process of the demonstration, which sends as much as it is let until its input ends. */
final class DemoSender {

  private static final int THREADS = 8;
  private static final int ATTEMPTS = 10;

  private DemoSender() {}

  /** Takes the address of the store, the limit, the port of the peer and the sender's number. */
  public static void main(String[] arguments) throws IOException {
    LogManager.getLogManager().reset();
    int port = Integer.parseInt(arguments[2]);
    int number = Integer.parseInt(arguments[3]);
    try (var store = connect(arguments[0], number)) {
      Limiter api = store.limiter("demo", arguments[1]);
      for (int i = 0; i < THREADS; i++) {
        var thread = new Thread(() -> send(api, port, number), "sender");
        thread.setDaemon(true);
        thread.start();
      }
      while (System.in.read() >= 0) {
        // It ends with its parent.
      }
    }
    System.exit(0);
  }

  /** A machine that starts all of it at once may be too slow for the first calls. */
  private static RedisLimiters connect(String store, int number) {
    for (int attempt = 1; ; attempt++) {
      try {
        return RedisLimiters.builder(store).fresh().label("sender " + (number + 1)).connect();
      } catch (RedisException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static void send(Limiter api, int port, int number) {
    try (var peer = new Socket(InetAddress.getLoopbackAddress(), port)) {
      peer.setTcpNoDelay(true);
      while (true) {
        api.run(
            () -> {
              peer.getOutputStream().write(number);
              if (peer.getInputStream().read() < 0) {
                throw new IOException("the peer is gone");
              }
            });
      }
    } catch (IOException | InterruptedException | RuntimeException end) {
      // The demonstration is over.
    }
  }
}
