package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A file that says how each command ended, in the columns of GNU parallel. An entry is written when
 * the output of the command has been printed, so that no kill loses the output of what is done. It
 * is not forced to disk.
 */
final class Joblog implements AutoCloseable {

  private static final String HEAD =
      "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n";
  private static final String FIRST_COLUMNS = "Seq\tHost\tStarttime\t";
  private static final String DONE = " recorded as done in ";
  private static final int COLUMNS = 9;
  private static final int LONGEST = 1 << 25; // all arguments of a command may have 6 MiB, escaped

  private final String name;
  private final FileChannel file;
  private final Map<String, Integer> done = new HashMap<>(); // how often each command ended well
  private long before;
  private long skipped;

  private Joblog(String name, FileChannel file) {
    this.name = name;
    this.file = file;
  }

  /**
   * Opens a log, and creates it if there is none.
   *
   * @param resumes whether what the file says is taken into account; if not, it must be empty
   */
  static Joblog open(String name, boolean resumes) throws Failure {
    try {
      if (!isFit(Path.of(name))) {
        throw new Failure("--joblog must be a regular file, or /dev/null: " + name);
      }
      var log = new Joblog(name, FileChannel.open(Path.of(name), READ, WRITE, CREATE));
      log.begin(resumes);
      return log;
    } catch (IOException e) {
      throw Failure.cannotOpen(name, e);
    } catch (InvalidPathException e) {
      throw new Failure("cannot write " + name + " (" + e.getReason() + ")");
    }
  }

  private static boolean isFit(Path file) throws IOException {
    return !Files.exists(file)
        || Files.isRegularFile(file)
        || Files.isDirectory(file) // opening it tells
        || Files.isSameFile(file, Path.of("/dev/null"));
  }

  private void begin(boolean resumes) throws IOException, Failure {
    try {
      if (file.tryLock() == null) {
        throw new OverlappingFileLockException();
      }
    } catch (OverlappingFileLockException e) {
      file.close();
      throw new Failure("--joblog " + name + " is in use by another run");
    }
    if (isEmpty()) {
      file.truncate(0);
      write(HEAD);
    } else if (!resumes) {
      file.close();
      throw new Failure(
          "--joblog "
              + name
              + " tells of an earlier run: --resume goes on with it, else remove it");
    } else {
      read();
    }
  }

  /** Returns whether it tells of no command, as a run that was refused leaves it. */
  private boolean isEmpty() throws IOException {
    if (file.size() > HEAD.length()) {
      return false;
    }
    var start = ByteBuffer.allocate(HEAD.length());
    int read = Math.max(0, file.read(start, 0));
    return HEAD.startsWith(new String(start.array(), 0, read, ISO_8859_1));
  }

  private void read() throws IOException, Failure {
    var in = new BufferedInputStream(Channels.newInputStream(file));
    long end = 0; // of the last whole line, as a kill may have cut that after it
    for (String line = nextLine(in); line.endsWith("\n"); line = nextLine(in)) {
      if (end == 0 && !line.startsWith(FIRST_COLUMNS)) {
        break;
      }
      end += line.length();
      read(line.substring(0, line.length() - 1));
    }
    if (end == 0) {
      file.close();
      throw new Failure("--joblog " + name + " is another kind of file");
    }
    file.truncate(end).position(end);
  }

  /** Returns a line with its end, which only what was cut lacks. */
  private static String nextLine(InputStream in) throws IOException {
    var line = new ByteArrayOutputStream();
    int b;
    do {
      b = in.read();
      if (b >= 0) {
        line.write(b);
      }
    } while (b >= 0 && b != '\n' && line.size() < LONGEST);
    if (line.size() == LONGEST) {
      throw new IOException("a line is longer than 32 MiB");
    }
    return line.toString(ISO_8859_1);
  }

  private void read(String line) {
    String[] columns = line.split("\t", COLUMNS);
    if (columns.length == COLUMNS && columns[6].equals("0") && columns[7].equals("0")) {
      done.merge(columns[8], 1, Integer::sum);
      before++;
    }
  }

  /**
   * Returns whether the log tells that the command ended well. Each line of the log stands for one
   * command, as the same input may be there twice.
   */
  synchronized boolean tellsOf(FilledCommand command) {
    String text = command.text();
    Integer times = done.get(text);
    if (times == null) {
      return false;
    }
    if (times == 1) {
      done.remove(text);
    } else {
      done.put(text, times - 1);
    }
    skipped++;
    return true;
  }

  /** Writes how a command ended. */
  synchronized void add(InputLine line, FilledCommand command, JobTimes times, int exit)
      throws Failure {
    boolean signalled = Runner.wasKilled(exit);
    String start =
        String.format(Locale.ROOT, "%d.%03d", times.start() / 1000, times.start() % 1000);
    double runtime = times.nanos() / 1e9;
    String text =
        String.format(
            Locale.ROOT,
            "%d\t:\t%s\t%10.3f\t0\t0\t%d\t%d\t%s\n",
            line.sequence(),
            start,
            runtime,
            signalled ? 0 : exit,
            signalled ? exit - Status.SIGNALLED : 0,
            command.text());
    try {
      write(text);
    } catch (IOException e) {
      throw Failure.cannotWrite(name, e);
    }
  }

  /**
   * When a command ran.
   *
   * @param start in milliseconds since 1970
   * @param nanos for how long
   */
  record JobTimes(long start, long nanos) {}

  private void write(String text) throws IOException {
    var bytes = ByteBuffer.wrap(text.getBytes(ISO_8859_1));
    long begin = file.position();
    try {
      while (bytes.hasRemaining()) {
        file.write(bytes);
      }
    } catch (IOException e) {
      file.truncate(begin); // the disk may be full, and half a line would spoil the next
      throw e;
    }
  }

  /** Returns what was skipped, in words; empty if there is nothing to say. */
  synchronized String skipped() {
    if (before == 0) {
      return "";
    }
    return skipped == 0
        ? "no command" + DONE + name + " matches this input"
        : "skipped " + skipped + " command" + (skipped == 1 ? "" : "s") + DONE + name;
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException written) {
      // All of it has been written.
    }
  }
}
