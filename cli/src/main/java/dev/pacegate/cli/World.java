package dev.pacegate.cli;

import dev.pacegate.time.Time;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;

/**
 * The process as a command sees it.
 *
 * @param in standard input, unbuffered
 * @param out standard output, unbuffered
 * @param err standard error
 * @param time the time of the limiters
 * @param atExit registers an action for the end of the process, however it ends
 * @param screen what progress can be shown on
 * @param foreground whether the terminal is this process's now: otherwise a prompt may be there
 * @param environment the variables of the environment
 * @param columns how wide the terminal is now; for one thread
 * @param terminal held while something is written to standard error that must not be mixed
 */
record World(
    InputStream in,
    OutputStream out,
    PrintStream err,
    Time time,
    Consumer<Runnable> atExit,
    Screen screen,
    BooleanSupplier foreground,
    Map<String, String> environment,
    IntSupplier columns,
    ReentrantLock terminal) {

  World(
      InputStream in,
      OutputStream out,
      PrintStream err,
      Time time,
      Consumer<Runnable> atExit,
      Screen screen,
      Map<String, String> environment) {
    this(
        in,
        out,
        err,
        time,
        atExit,
        screen,
        () -> true,
        environment,
        () -> Width.of(environment),
        new ReentrantLock());
  }

  /** What standard error is. */
  enum Screen {
    /** No terminal, or one that already shows the progress. */
    NONE,
    /** A terminal for whole lines: it cannot erase them, or others may write to it as well. */
    LINES,
    /** A terminal for whole lines that standard output goes to as well. */
    BOTH,
    /** A terminal on which a line can be drawn again and again. */
    LIVE;

    /** Returns what the launcher has found, as far as the kind of terminal allows. */
    static Screen of(String found, String terminal) {
      if (found.isEmpty()) {
        return NONE;
      }
      if (found.equals("both")) {
        return BOTH;
      }
      return found.equals("live") && !isDumb(terminal) ? LIVE : LINES;
    }

    /** Returns whether a kind of terminal, which may be unknown, knows letters alone. */
    static boolean isDumb(String terminal) {
      return terminal.isEmpty() || terminal.equals("dumb");
    }
  }

  private static final int LONGEST_MESSAGE = 1000;

  /** The encoding of the locale, which is that of arguments, of file names and of terminals. */
  static final Charset NATIVE = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

  /** Returns this process. */
  static World real() {
    String columns = System.getProperty("pacegate.columns", ""); // when the launcher asked
    return new World(
        new FileInputStream(FileDescriptor.in),
        new StandardOutput(),
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, NATIVE),
        Time.system(),
        World::whenProcessEnds,
        Screen.of(
            System.getProperty("pacegate.screen", ""), System.getenv().getOrDefault("TERM", "")),
        JobControl::isForeground,
        environment(System.getenv(), columns),
        Width.live(System.getenv(), columns),
        new ReentrantLock());
  }

  /**
   * Returns the variables as if the terminal's width were among them, which no command inherits.
   */
  static Map<String, String> environment(Map<String, String> variables, String columns) {
    var all = new HashMap<>(variables);
    all.merge("COLUMNS", columns, (set, found) -> set.isEmpty() ? found : set);
    return all;
  }

  /** Returns this process where others write to its standard error, too: it can erase nothing. */
  World shared() {
    return screen == Screen.LIVE
        ? new World(
            in, out, err, time, atExit, Screen.LINES, foreground, environment, columns, terminal)
        : this;
  }

  /**
   * Runs {@code task} when the process ends.
   *
   * @throws EndsAlready if it does now, as a signal came before the command had begun
   */
  static void whenProcessEnds(Runnable task) {
    try {
      Runtime.getRuntime().addShutdownHook(new Thread(task, "pacegate-exit"));
    } catch (IllegalStateException e) {
      throw new EndsAlready(e);
    }
  }

  /** Ends a command that has not begun. There is nothing to tell: the signal says it all. */
  static final class EndsAlready extends RuntimeException {
    EndsAlready(IllegalStateException cause) {
      super(cause);
    }
  }

  /** Erases a live line, before other text is written there. A prompt in its place remains. */
  void erase() {
    if (screen == Screen.LIVE && foreground.getAsBoolean()) {
      err.print(LiveLine.ERASE);
    }
  }

  /** Prints a message to standard error, in one line whatever it contains. */
  void say(String message) {
    terminal.lock();
    try {
      erase();
      err.println("pacegate: " + oneLine(message));
    } finally {
      terminal.unlock();
    }
  }

  /** Returns text of others for the terminal: in one line, which controls nothing. */
  static String oneLine(String message) {
    return oneLine(message, NATIVE);
  }

  /** As {@link #oneLine(String)}, with an escape for each letter that {@code charset} lacks. */
  static String oneLine(String message, Charset charset) {
    var line = new StringBuilder();
    CharsetEncoder encoder = charset.newEncoder();
    String text = shortened(message);
    if (!encoder.canEncode(text)) {
      text = text.replace("…", "...");
    }
    text.codePoints()
        .mapToObj(Character::toString)
        .map(c -> isHarmful(c.codePointAt(0)) || !encoder.canEncode(c) ? escape(c) : c)
        .forEach(line::append);
    return line.toString();
  }

  /** Returns whether a letter controls the terminal, or turns round what follows it. */
  private static boolean isHarmful(int letter) {
    boolean turns =
        (letter >= 0x202a && letter <= 0x202e) || (letter >= 0x2066 && letter <= 0x2069);
    return turns || Character.isISOControl(letter);
  }

  // What a message quotes may be long; its beginning and its end say what is wrong.
  private static String shortened(String message) {
    int half = LONGEST_MESSAGE / 2;
    return message.length() <= LONGEST_MESSAGE
        ? message
        : message.substring(0, half) + " … " + message.substring(message.length() - half);
  }

  private static String escape(String letter) {
    return switch (letter) {
      case "\n" -> "\\n";
      case "\t" -> "\\t";
      case "\r" -> "\\r";
      default -> letter.chars().mapToObj(World::escape).collect(Collectors.joining());
    };
  }

  private static String escape(int unit) {
    return String.format(unit >= 0xa0 ? "\\u%04x" : "\\x%02x", unit);
  }
}
