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

  private DemoSender() {}

  /** Takes the address of the store, the limit, the port of the peer and the sender's number. */
  public static void main(String[] arguments) throws InterruptedException {
    start(DemoSender::endWithParent);
    LogManager.getLogManager().reset();
    int port = Integer.parseInt(arguments[2]);
    int number = Integer.parseInt(arguments[3]);
    Limiter api = connect(arguments[0], number).limiter("demo", arguments[1]);
    for (int i = 0; i < THREADS; i++) {
      start(() -> send(api, port, number));
    }
    Thread.currentThread().join(); // for ever
  }

  private static void start(Runnable task) {
    var thread = new Thread(task, "sender");
    thread.setDaemon(true);
    thread.start();
  }

  /** Waits for nothing: the server ends at the same time. */
  private static void endWithParent() {
    try {
      while (System.in.read() >= 0) {
        // It lives.
      }
    } catch (IOException e) {
      // As good as the end.
    }
    Runtime.getRuntime().halt(0);
  }

  /** A machine that starts all of it at once may be too slow for the first calls. */
  private static RedisLimiters connect(String store, int number) throws InterruptedException {
    while (true) {
      try {
        return RedisLimiters.builder(store).fresh().label("sender " + (number + 1)).connect();
      } catch (RedisException e) {
        Thread.sleep(50); // again, until the parent gives up
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
