package dev.pacegate.proxy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file again and again, and hands its content over when that has changed: each look
 * compares all of it, which is right however the file was replaced.
 *
 * <p>A content is handed over once two looks in a row have seen it, as a file that is being written
 * may happen to be valid. Likewise two looks must fail before that is told. Looks are on one
 * thread.
 */
final class FileFollower implements AutoCloseable {

  private static final long PERIOD_MILLIS = 1000;

  /** In looks. */
  private static final int LONGEST_PAUSE = 600;

  private final Path file;
  private final Function<byte[], String> target;
  private final Consumer<String> log;
  private final BlockingQueue<Boolean> asked = new ArrayBlockingQueue<>(1);
  private final Thread thread = new Thread(this::run, "pacegate-proxy-config");
  private byte @Nullable [] seen; // by the last look; null if it could not be read
  private volatile byte @Nullable [] handled; // null if told as unreadable
  private String unreadable = ""; // why the last look could not read it
  private byte @Nullable [] failed; // what the file still is, and may be put in force later
  private int pause; // in looks, before it is tried again
  private int looksLeft;
  private final AtomicLong refusals = new AtomicLong();
  private volatile boolean closed;

  /**
   * @param target puts a content in force, and returns what has changed; an {@link
   *     IllegalArgumentException} says that the content is wrong
   */
  FileFollower(Path file, byte[] inForce, Function<byte[], String> target, Consumer<String> log) {
    this.file = file;
    this.target = target;
    this.log = log;
    this.seen = inForce;
    this.handled = inForce;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Takes note that a content was put in force without a look. */
  void isInForce(byte[] content) {
    handled = content;
  }

  /** Returns how many contents, or failures to read one, were told as refused. */
  long refusals() {
    return refusals.get();
  }

  /** Has the file read now. */
  void ask() {
    asked.offer(true);
  }

  private void run() {
    try {
      while (!closed) {
        if (asked.poll(PERIOD_MILLIS, TimeUnit.MILLISECONDS) == null) {
          look();
        } else {
          readNow();
        }
      }
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }

  /** Reads the file as it is, whether it has changed or not. */
  void readNow() {
    see(read());
    handle(seen);
  }

  /** Looks whether it has changed. */
  void look() {
    byte[] content = read();
    boolean settled = Arrays.equals(content, seen);
    see(content);
    if (!settled || Arrays.equals(content, handled)) {
      return;
    }
    if (failed != null && looksLeft > 1) {
      looksLeft--;
    } else {
      handle(content);
    }
  }

  private void see(byte @Nullable [] content) {
    seen = content;
    if (!Arrays.equals(content, failed)) {
      failed = null;
    }
  }

  /** It is tried again after pauses that double: it may go on failing, and each time has a line. */
  private void failed(byte[] content) {
    pause = failed == null ? 1 : Math.min(2 * pause, LONGEST_PAUSE);
    looksLeft = pause;
    failed = content;
  }

  private byte @Nullable [] read() {
    try {
      return ProxyFile.bytes(file);
    } catch (IOException e) {
      unreadable = file + " cannot be read: " + e.getClass().getSimpleName();
    } catch (RuntimeException | Error e) { // the file must be followed on
      unreadable = words(e);
    }
    return null;
  }

  private void handle(byte @Nullable [] content) {
    byte[] before = handled;
    handled = content;
    if (content == null) {
      refused(unreadable);
      return;
    }
    String change;
    try {
      change = target.apply(content);
    } catch (RuntimeException wrong) {
      refused(words(wrong));
      return;
    } catch (Error failure) { // such as too little memory: it is tried again
      handled = before;
      failed(content);
      refused(words(failure));
      return;
    }
    failed = null;
    tell(change);
  }

  private static String words(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.toString() : message;
  }

  private void refused(String why) {
    refusals.incrementAndGet();
    tell(why + "; the configuration in force stays");
  }

  @SuppressWarnings("EmptyCatch")
  private void tell(String line) {
    try {
      if (!closed) {
        log.accept(line);
      }
    } catch (RuntimeException | Error e) {
      // There is nothing else to tell it to, and the file must be followed on.
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
