package dev.pacegate.redis;

import dev.pacegate.KeyedLimiter;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * A program in which a request of each of many keys waits: it prints {@code waiting}, then for each
 * line that it reads {@code permits} when each key has got one more, and what any library has
 * logged until then.
 */
final class WaitingKeys {

  private static final List<String> LINES = new CopyOnWriteArrayList<>();

  private WaitingKeys() {}

  public static void main(String[] args) throws Exception {
    InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE); // not that of Redisson
    collectLines();
    int keys = Integer.parseInt(args[1]);
    try (var redis = RedisLimiters.builder(args[0]).secret("sixteen characters").connect();
        var keyed = redis.keyed("k", args[2]).<Integer>build()) {
      var permits = new Semaphore(0);
      var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      ask(keyed, keys, permits);
      permits.acquire(keys);
      LINES.clear(); // of the first fence
      do {
        ask(keyed, keys, permits);
        System.out.println("waiting");
        in.readLine();
        permits.acquire(keys);
        System.out.println("permits");
        LINES.forEach(line -> System.out.println("logged " + line));
        System.out.println("end");
        LINES.clear();
      } while (in.readLine() != null);
    }
  }

  private static void ask(KeyedLimiter<Integer> keyed, int keys, Semaphore permits) {
    for (int i = 0; i < keys; i++) {
      var unused =
          keyed
              .acquireAsync(i)
              .thenAccept(
                  permit -> {
                    permit.answered();
                    permits.release();
                  });
    }
  }

  private static void collectLines() {
    Logger root = Logger.getLogger("");
    for (Handler each : root.getHandlers()) {
      root.removeHandler(each);
    }
    root.setLevel(Level.INFO);
    root.addHandler(
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            LINES.add(line.getLoggerName() + " " + line.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        });
  }
}
