package dev.pacegate.proxy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;

/** An upstream that keeps what comes on each connection, byte by byte, and does as it is told. */
final class RawUpstream implements AutoCloseable {

  /** What is done on a connection; it is closed after that. */
  interface Script {
    void run(Wire wire) throws Exception;
  }

  /** A connection, numbered from 0. */
  record Wire(int number, Socket socket, ByteArrayOutputStream seen) {

    /** Reads until all that came ends with {@code end}; false at the end of the connection. */
    boolean readUntil(String end) throws IOException {
      InputStream in = socket.getInputStream();
      while (!text().endsWith(end)) {
        int read = in.read();
        if (read < 0) {
          return false;
        }
        seen.write(read);
      }
      return true;
    }

    boolean readHead() throws IOException {
      return readUntil("\r\n\r\n");
    }

    /** Reads as many bytes; fewer at the end of the connection. */
    void read(int bytes) throws IOException {
      seen.write(socket.getInputStream().readNBytes(bytes));
    }

    /** Reads all that is to come. */
    void drain() throws IOException {
      seen.write(socket.getInputStream().readAllBytes());
    }

    void write(String text) throws IOException {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    String text() {
      return seen.toString(StandardCharsets.ISO_8859_1);
    }
  }

  final List<Wire> wires = new CopyOnWriteArrayList<>();
  final List<Wire> ended = new CopyOnWriteArrayList<>();
  private final ServerSocket server;
  private final Script script;
  private final Thread acceptor;

  RawUpstream(Script script) throws IOException {
    this(0, script);
  }

  RawUpstream(int port, Script script) throws IOException {
    this.script = script;
    this.server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
    this.acceptor = daemon(this::accept);
  }

  /**
   * Returns one whose port can be used again. It is none of those that Linux gives to clients: as
   * long as no server is there, a client that tries again and again is in the end connected to
   * itself.
   */
  static RawUpstream onALowPort(Script script) throws IOException {
    for (int i = 0; ; i++) {
      try {
        return new RawUpstream(ThreadLocalRandom.current().nextInt(10_000, 20_000), script);
      } catch (IOException taken) {
        if (i == 100) {
          throw taken;
        }
      }
    }
  }

  private static Thread daemon(Runnable task) {
    var thread = new Thread(task, "raw-upstream");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  int port() {
    return server.getLocalPort();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        var wire = new Wire(wires.size(), server.accept(), new ByteArrayOutputStream());
        wires.add(wire);
        daemon(() -> serve(wire));
      } catch (IOException closed) {
        return;
      }
    }
  }

  @SuppressWarnings("CatchAndPrintStackTrace")
  private void serve(Wire wire) {
    try (Socket socket = wire.socket()) {
      script.run(wire);
    } catch (IOException broken) {
      // the test looks at what was seen
    } catch (Exception e) {
      e.printStackTrace();
    } finally {
      ended.add(wire);
    }
  }

  /** Ends as a process does that is killed: with a reset of each connection. */
  void kill() throws IOException, InterruptedException {
    server.close();
    acceptor.join(); // until it has left, the port is in use
    for (Wire wire : wires) {
      if (!wire.socket().isClosed()) {
        wire.socket().setSoLinger(true, 0);
        wire.socket().close();
      }
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Wire wire : wires) {
      wire.socket().close();
    }
  }
}
