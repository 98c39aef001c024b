package dev.pacegate.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The other side of the demonstration: it takes requests of a byte, the number of their sender, on
 * loopback, counts each when it arrives, and answers it after a while. Thread-safe.
 */
final class DemoPeer implements AutoCloseable {

  private static final long INTERVAL = TimeUnit.SECONDS.toNanos(1);
  private static final long ANSWER_MILLIS = 20;

  private final ServerSocket listener;
  private final Deque<Long> lately = new ArrayDeque<>(); // of the last second
  private final long[] ofSender;
  private long all;
  private int worst;

  DemoPeer(int senders) throws IOException {
    this.ofSender = new long[senders];
    this.listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  private static void start(Runnable task) {
    var thread = new Thread(task, "pacegate-demo-peer");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        start(() -> answer(client));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void answer(Socket client) {
    try (client;
        InputStream in = client.getInputStream();
        OutputStream out = client.getOutputStream()) {
      for (int sender = in.read(); sender >= 0; sender = in.read()) {
        count(sender);
        Thread.sleep(ANSWER_MILLIS);
        out.write(sender);
      }
    } catch (IOException gone) {
      // A sender that has ended.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void count(int sender) {
    long now = System.nanoTime();
    forget(now);
    lately.add(now);
    worst = Math.max(worst, lately.size());
    ofSender[sender % ofSender.length]++;
    all++;
  }

  private void forget(long now) {
    while (!lately.isEmpty() && now - lately.getFirst() >= INTERVAL) {
      lately.removeFirst();
    }
  }

  /**
   * What it has counted.
   *
   * @param lately in the last second
   * @param worst in any second
   * @param all since the beginning
   * @param ofSender of each sender
   */
  record Counts(int lately, int worst, long all, List<Long> ofSender) {}

  synchronized Counts counts() {
    forget(System.nanoTime());
    return new Counts(lately.size(), worst, all, Arrays.stream(ofSender).boxed().toList());
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
