package dev.pacegate.redis.contest;

import dev.pacegate.redis.rig.PeerConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A process's part of a contest: threads that call a peer through a {@link Contender}. Prints
 * "ready", waits for a line, sends, and prints "sent SENT failed FAILED".
 */
final class Worker {

  private final Contender contender;
  private final Load load;
  private final AtomicLong numbers = new AtomicLong();
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();

  private Worker(Contender contender, Load load) {
    this.contender = contender;
    this.load = load;
  }

  /** Works until the load's duration is over; then the contender is closed and the JVM ends. */
  static void run(Contender contender, Load load) throws Exception {
    var worker = new Worker(contender, load);
    System.out.println("ready");
    if (System.in.read() >= 0) {
      worker.sendAll();
      System.out.println("sent " + worker.sent + " failed " + worker.failed);
    }
    contender.close();
    System.exit(0); // threads may still wait for permits
  }

  private void sendAll() throws Exception {
    long end = System.nanoTime() + load.duration().toNanos();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < load.threads(); i++) {
      var thread = new Thread(() -> sendUntil(end), "sender " + i);
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      // One that waits for a permit at the end may wait for a whole interval: it is left behind.
      thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
    }
  }

  private void sendUntil(long end) {
    try (var peer = new PeerConnection(load.peerPort())) {
      while (end - System.nanoTime() > 0) {
        sendOne(peer);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e); // the thread ends and says so
    }
  }

  private void sendOne(PeerConnection peer) {
    long number = numbers.incrementAndGet();
    long queuedAt = System.nanoTime();
    try {
      contender.call(
          (key, since) ->
              peer.send(
                  load.sender() * Contender.KEYS + key,
                  number,
                  since == Contender.QUEUED ? queuedAt : since));
      sent.incrementAndGet();
    } catch (Exception e) {
      if (failed.getAndIncrement() == 0) {
        e.printStackTrace(); // the first one says why
      }
    }
  }
}
