package dev.pacegate.redis.rig;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A connection through a {@link CutProxy}: two sockets, and a reader and a writer each way. */
final class Link {

  /** What was read, and when it is to be written. The end of a stream has no bytes. */
  private static final class Chunk {

    final long due;
    final byte[] bytes;

    Chunk(long due, byte[] bytes) {
      this.due = due;
      this.bytes = bytes;
    }
  }

  private static final byte[] NOTHING = {};

  private final CutProxy proxy;
  private final Socket client;
  private final Socket server;
  private final InetAddress from; // a socket that is closed does not tell
  private volatile boolean cut;
  private volatile boolean dropped;

  Link(CutProxy proxy, Socket client, Socket server) throws IOException {
    this.proxy = proxy;
    this.client = client;
    this.server = server;
    this.from = client.getInetAddress();
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
  }

  static void daemon(String name, Runnable work) {
    var thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  void start() {
    pump(client, server, proxy::toServer, false);
    pump(server, client, proxy::toClient, true);
  }

  private void pump(Socket from, Socket to, Supplier<Duration> delay, boolean replies) {
    BlockingQueue<Chunk> chunks = new LinkedBlockingQueue<>();
    daemon("proxy reads", () -> read(from, delay, chunks));
    daemon("proxy writes", () -> write(to, chunks, replies));
  }

  private void read(Socket from, Supplier<Duration> delay, BlockingQueue<Chunk> chunks) {
    byte[] buffer = new byte[64 * 1024];
    try {
      for (int n = from.getInputStream().read(buffer);
          n > 0;
          n = from.getInputStream().read(buffer)) {
        chunks.add(new Chunk(due(delay), Arrays.copyOf(buffer, n)));
      }
      chunks.add(new Chunk(due(delay), NOTHING));
    } catch (IOException broken) {
      cut();
      chunks.add(new Chunk(System.nanoTime(), NOTHING));
    }
  }

  private static long due(Supplier<Duration> delay) {
    return System.nanoTime() + delay.get().toNanos();
  }

  private void write(Socket to, BlockingQueue<Chunk> chunks, boolean replies) {
    try {
      for (Chunk chunk = chunks.take(); chunk.bytes.length > 0; chunk = chunks.take()) {
        TimeUnit.NANOSECONDS.sleep(chunk.due - System.nanoTime()); // the delay that was asked for
        proxy.awaitHeld(this);
        if (dropped) {
          continue;
        }
        int most = replies ? proxy.takeCut(chunk.bytes.length) : -1;
        to.getOutputStream().write(chunk.bytes, 0, most < 0 ? chunk.bytes.length : most);
        if (most >= 0) {
          close(); // a reset could overtake the bytes
          return;
        }
      }
      proxy.awaitHeld(this); // the end of a stream is a packet too
      close();
    } catch (IOException | InterruptedException broken) {
      cut();
    }
  }

  /** Returns where the client is. */
  InetAddress from() {
    return from;
  }

  boolean isCut() {
    return cut;
  }

  /** Lets nothing through any more but the end of a stream. */
  void drop() {
    dropped = true;
  }

  /** Closes both sides so that each sees a reset. */
  void cut() {
    end(true);
  }

  /** Closes both sides so that each sees the end of the stream, unless they are cut already. */
  private void close() {
    end(false);
  }

  private synchronized void end(boolean reset) {
    if (cut) {
      return; // the other threads of this link see an error, and a reset now would destroy bytes
    }
    cut = true;
    proxy.forget(this);
    try (client;
        server) {
      if (reset) {
        client.setSoLinger(true, 0);
        server.setSoLinger(true, 0);
      }
    } catch (IOException closed) {
      // So it is what it should be.
    }
  }
}
