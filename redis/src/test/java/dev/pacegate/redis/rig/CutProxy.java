package dev.pacegate.redis.rig;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy on the loopback that does to connections what networks do: it delays, cuts, holds and
 * refuses them.
 *
 * <p>Safe for use by several threads.
 */
public final class CutProxy implements AutoCloseable {

  private static final int NEVER = -1;

  private final int port;
  private volatile int serverPort;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private @Nullable ServerSocket listener; // null while new connections are refused
  private volatile Duration toServer = Duration.ZERO;
  private volatile Duration toClient = Duration.ZERO;
  private int cutAfter = NEVER;
  private Predicate<InetAddress> held = from -> false;

  /** Starts one before a server of the loopback. */
  public CutProxy(int serverPort) throws IOException {
    this.serverPort = serverPort;
    this.port = Ports.free();
    heal();
  }

  /** Returns the port that clients connect to. */
  public int port() {
    return port;
  }

  /** Leads to another server of the loopback from now on, as an address that moves does. */
  public void redirect(int serverPort) {
    this.serverPort = serverPort;
    cut();
  }

  /** Returns a server's URI with this proxy's port in place of its own. */
  public String uri(RedisServer server) {
    return server.uri().replace(":" + server.port(), ":" + port);
  }

  /** Delays what is read from now on, each way. The order is kept, and so is the throughput. */
  public void delay(Duration toServer, Duration toClient) {
    this.toServer = toServer;
    this.toClient = toClient;
  }

  /** Cuts all connections now, with a reset. What is delayed is lost. New ones are accepted. */
  public void cut() {
    links.forEach(Link::cut);
  }

  /**
   * Lets that many bytes of the next reply through and cuts its connection; with 0 the server has
   * got the request, and the client hears nothing. Happens once. Other connections stay.
   */
  public synchronized void cutAfter(int bytes) {
    this.cutAfter = bytes;
  }

  /** Cuts all connections and refuses new ones, until {@link #heal()}. */
  public void refuse() throws IOException {
    synchronized (this) {
      if (listener != null) {
        listener.close();
        listener = null;
      }
    }
    cut();
  }

  /**
   * Holds what is sent, each way, as a network that loses all packets: connections stay open, and
   * new ones can be made. {@link #heal()} lets it through.
   */
  public void hold() {
    hold(from -> true);
  }

  /** Like {@link #hold()}, for the connections that come from such addresses; others go on. */
  public synchronized void hold(Predicate<InetAddress> from) {
    held = from;
  }

  /**
   * Drops all that is sent on the connections there are, each way and for ever, as a network does
   * that has forgotten them: neither side is told. New ones are accepted.
   */
  public void forget() {
    links.forEach(Link::drop);
  }

  /** Ends what {@link #refuse()}, {@link #hold()} and {@link #cutAfter} began. Delays stay. */
  public final synchronized void heal() throws IOException {
    cutAfter = NEVER;
    held = from -> false;
    notifyAll();
    if (listener == null) {
      ServerSocket opened = listen();
      listener = opened;
      Link.daemon("proxy", () -> accept(opened));
    }
  }

  /** Until a thread that accepts has seen that its socket is closed, the port may be in use. */
  private ServerSocket listen() throws IOException {
    long began = System.nanoTime();
    while (true) {
      var opened = new ServerSocket();
      try {
        opened.setReuseAddress(true);
        opened.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
        return opened;
      } catch (BindException inUse) {
        opened.close();
        if (System.nanoTime() - began > Processes.LONGEST.toNanos()) {
          throw inUse;
        }
        pause();
      }
    }
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(1); // nothing tells
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    }
  }

  /** Returns how many connections there are. */
  public int connections() {
    return links.size();
  }

  private void accept(ServerSocket listener) {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        connect(listener, client);
      } catch (IOException closedOrServerAway) {
        // Looks again: the client has been cut off by then.
      }
    }
  }

  private void connect(ServerSocket listener, Socket client) throws IOException {
    try {
      var link = new Link(this, client, new Socket(InetAddress.getLoopbackAddress(), serverPort));
      links.add(link);
      link.start();
      if (listener.isClosed()) {
        link.cut(); // refuse() did not see it
      }
    } catch (IOException serverAway) {
      client.close();
    }
  }

  Duration toServer() {
    return toServer;
  }

  Duration toClient() {
    return toClient;
  }

  /** Waits while all is held. */
  synchronized void awaitHeld(Link link) throws InterruptedException {
    while (held.test(link.from()) && !link.isCut()) {
      wait(100); // a link that is cut does not tell
    }
  }

  /**
   * Returns how many bytes of a reply of that length may pass before its connection is cut, or -1
   * for all.
   */
  synchronized int takeCut(int length) {
    if (cutAfter == NEVER) {
      return NEVER;
    }
    if (length < cutAfter) {
      cutAfter -= length;
      return NEVER;
    }
    int rest = cutAfter;
    cutAfter = NEVER;
    return rest;
  }

  void forget(Link link) {
    links.remove(link);
  }

  @Override
  public void close() throws IOException {
    refuse();
  }
}
