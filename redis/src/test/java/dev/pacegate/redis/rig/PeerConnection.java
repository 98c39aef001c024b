package dev.pacegate.redis.rig;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A connection to a {@link Peer}: a request, and its answer. Used by one thread at a time. */
public final class PeerConnection implements Closeable {

  private static final int SOCKET_MILLIS = 20_000;

  private final Socket socket;
  private final BufferedReader in;

  /** Connects to a peer of this machine. */
  public PeerConnection(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(SOCKET_MILLIS);
    in =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
  }

  /**
   * Sends a request and waits for its answer.
   *
   * @param sender who sends it
   * @param number its number among those of this sender
   * @param queuedAt when the sender began to wait for a permit, by {@link System#nanoTime()}
   */
  public void send(int sender, long number, long queuedAt) throws IOException {
    String answer = ask(sender + " " + number + " " + queuedAt);
    if (!answer.equals(Long.toString(number))) {
      throw new IOException("the answer to " + number + " is " + answer);
    }
  }

  /** Sends a line and returns the next one. */
  String ask(String line) throws IOException {
    socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
    return next();
  }

  String next() throws IOException {
    String line = in.readLine();
    if (line == null) {
      throw new EOFException("the peer has closed the connection");
    }
    return line;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
