package dev.pacegate.redis.rig;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * A peer that counts, as a process of its own: knows nothing of Pacegate or Redis. One thread
 * serves all connections, and stamps requests as it reads them.
 *
 * <p>A request is a line of three numbers, {@code SENDER NUMBER QUEUED-AT}, and is answered by its
 * NUMBER after some milliseconds. Other lines are answered at once:
 *
 * <pre>
 * count           how many requests have arrived
 * inside          the most that had arrived and were not answered, at any instant
 * report NANOS    COUNT MOST OVERTAKEN PER-SECOND: most in an interval of that length,
 *                 and by how many later ones a request was overtaken at most
 * senders NANOS   the senders of what has arrived since that instant
 * list            a line AT SENDER NUMBER QUEUED-AT UNTIL for each arrival, then "end"
 * delay MIN MAX   milliseconds until an answer, from now on
 * reset           forgets all arrivals
 * </pre>
 *
 * <p>Arguments: seed, and the least and the most milliseconds until an answer. Prints its port.
 */
public final class Peer {

  /** An answer that is to be sent. */
  private record Answer(long due, PeerLine to, String text) {}

  private final Selector selector = Selector.open();
  private final ServerSocketChannel listener = ServerSocketChannel.open();
  private final List<Arrivals.Arrival> arrivals = new ArrayList<>();
  private final PriorityQueue<Answer> answers;
  private final long start = System.nanoTime();
  private final Random random;
  private long leastDelay;
  private long mostDelay;
  private int mostInside; // requests that have arrived and are not answered

  private Peer(long seed, long leastDelay, long mostDelay) throws IOException {
    this.random = new Random(seed);
    this.leastDelay = leastDelay;
    this.mostDelay = mostDelay;
    this.answers = new PriorityQueue<>(Comparator.comparingLong(answer -> answer.due - start));
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), Ports.free()), 200);
    listener.configureBlocking(false);
    listener.register(selector, SelectionKey.OP_ACCEPT);
  }

  /** Runs until it is killed. */
  public static void main(String[] args) throws IOException {
    var peer = new Peer(Long.parseLong(args[0]), Long.parseLong(args[1]), Long.parseLong(args[2]));
    System.out.println(((InetSocketAddress) peer.listener.getLocalAddress()).getPort());
    peer.serve();
  }

  private void serve() throws IOException {
    while (true) {
      selector.select(this::ready, millisToAnswer());
      for (Answer next = answers.peek(); next != null && isDue(next); next = answers.peek()) {
        answers.remove();
        next.to.write(next.text);
      }
    }
  }

  private static boolean isDue(Answer answer) {
    return answer.due - System.nanoTime() <= 0;
  }

  /** Returns a time for select, to which 0 means for ever. */
  private long millisToAnswer() {
    Answer next = answers.peek();
    return next == null ? 0 : Math.max(1, (next.due - System.nanoTime()) / 1_000_000);
  }

  private void ready(SelectionKey key) {
    try {
      if (key.isAcceptable()) {
        accept();
      } else {
        read(key);
      }
    } catch (IOException | RuntimeException broken) {
      key.cancel();
      close(key);
    }
  }

  private void accept() throws IOException {
    SocketChannel channel = listener.accept();
    if (channel != null) {
      channel.configureBlocking(false);
      channel.socket().setTcpNoDelay(true);
      channel.register(selector, SelectionKey.OP_READ, new PeerLine(channel));
    }
  }

  private void read(SelectionKey key) throws IOException {
    var connection = (PeerLine) key.attachment();
    boolean open = connection.read();
    long now = System.nanoTime();
    for (String line = connection.next(); line != null; line = connection.next()) {
      handle(line, connection, now);
    }
    if (!open) {
      key.cancel();
      close(key);
    }
  }

  private static void close(SelectionKey key) {
    try {
      key.channel().close();
    } catch (IOException closed) {
      // So it is what it should be.
    }
  }

  private void handle(String line, PeerLine from, long now) {
    if (Character.isDigit(line.charAt(0))) {
      request(line, from, now);
    } else {
      from.write(control(line.split(" ", -1)));
    }
  }

  private void request(String line, PeerLine from, long now) {
    long least = Duration.ofMillis(leastDelay).toNanos();
    long spread = Duration.ofMillis(mostDelay).toNanos() - least;
    long until = now + least + (long) (random.nextDouble() * spread);
    var arrival = Arrivals.Arrival.ofLine(now + " " + line + " " + until);
    arrivals.add(arrival);
    answers.add(new Answer(until, from, Long.toString(arrival.number())));
    mostInside = Math.max(mostInside, answers.size());
  }

  private String control(String[] words) {
    return switch (words[0]) {
      case "inside" -> Integer.toString(mostInside);
      case "count" -> Integer.toString(arrivals.size());
      case "report" -> report(Duration.ofNanos(Long.parseLong(words[1])));
      case "senders" -> senders(Long.parseLong(words[1]));
      case "list" -> list();
      case "delay" -> delay(Long.parseLong(words[1]), Long.parseLong(words[2]));
      case "reset" -> reset();
      default -> "unknown: " + words[0];
    };
  }

  private String senders(long since) {
    Set<String> senders = new TreeSet<>();
    for (int i = arrivals.size() - 1; i >= 0 && arrivals.get(i).at() - since >= 0; i--) {
      senders.add(Integer.toString(arrivals.get(i).sender()));
    }
    return "of " + String.join(" ", senders);
  }

  private String list() {
    var list = new StringBuilder();
    arrivals.forEach(arrival -> list.append(arrival.toLine()).append('\n'));
    return list + "end";
  }

  private String delay(long least, long most) {
    leastDelay = least;
    mostDelay = most;
    return "ok";
  }

  private String reset() {
    arrivals.clear();
    mostInside = 0;
    return "ok";
  }

  private String report(Duration window) {
    var all = new Arrivals(arrivals);
    return String.format(
        Locale.ROOT,
        "%d %d %d %.3f",
        all.count(),
        all.most(window),
        all.mostOvertaken(),
        all.perSecond());
  }
}
