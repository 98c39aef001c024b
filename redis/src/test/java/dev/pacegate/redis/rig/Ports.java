package dev.pacegate.redis.rig;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;

/** Finds free ports of the loopback. */
public final class Ports {

  // Below the ports that Linux gives to outgoing connections: a client that tries again and again
  // to reach such a port while its server is away will in the end be connected to itself, and then
  // the server cannot come back.
  private static final int FIRST = 20_000;
  private static final int LAST = 32_000;

  /** A file for each port, locked by the JVM that has it. */
  private static final Path FOLDER =
      Path.of(
          System.getProperty("java.io.tmpdir"),
          "ports-of-tests-" + System.getProperty("user.name"));

  private static final Queue<FileChannel> RESERVED = new ConcurrentLinkedQueue<>();

  private Ports() {}

  /**
   * Returns a port that was free a moment ago. No other JVM is given it until this one ends: a
   * server that was killed must find its port free when it comes back.
   */
  public static int free() throws IOException {
    for (int i = 0; i < 100; i++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
      try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        if (isReserved(port)) {
          return socket.getLocalPort();
        }
      } catch (IOException taken) {
        // Tries another.
      }
    }
    throw new IOException("no free port from " + FIRST + " to " + LAST);
  }

  /** How far a node of a Cluster has its bus above its port. */
  static final int BUS = 10_000;

  /** Like {@link #free()}; the port of the bus is free as well. */
  static int freeWithBus() throws IOException {
    for (int i = 0; i < 100; i++) {
      int bus = free();
      try (var socket = new ServerSocket(bus - BUS, 1, InetAddress.getLoopbackAddress())) {
        if (isReserved(bus - BUS)) {
          return socket.getLocalPort();
        }
      } catch (IOException taken) {
        // Tries another.
      }
    }
    throw new IOException("no free port with a bus");
  }

  private static boolean isReserved(int port) throws IOException {
    Path file = Files.createDirectories(FOLDER).resolve(Integer.toString(port));
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() != null) {
        RESERVED.add(channel); // a channel that is closed locks nothing
        return true;
      }
    } catch (OverlappingFileLockException ours) {
      // So it is taken.
    }
    channel.close();
    return false;
  }
}
