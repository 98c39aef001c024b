package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A file that says how each command ended, in the columns of GNU parallel. It is written before the
 * next command may start in its place, so that after a kill only those under way are unknown.
 */
final class Joblog implements AutoCloseable {

  private static final String HEAD =
      "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n";
  private static final int COLUMNS = 9;

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
      var log = new Joblog(name, FileChannel.open(Path.of(name), READ, WRITE, CREATE));
      log.begin(resumes);
      return log;
    } catch (IOException e) {
      throw Failure.cannotWrite(name, e);
    } catch (InvalidPathException e) {
      throw new Failure("cannot write " + name + " (" + e.getReason() + ")");
    }
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
    if (file.size() == 0) {
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

  private void read() throws IOException, Failure {
    String text = new String(Channels.newInputStream(file).readAllBytes(), ISO_8859_1);
    if (!text.startsWith("Seq\tHost\tStarttime\t")) {
      file.close();
      throw new Failure("--joblog " + name + " is another kind of file");
    }
    int end = text.lastIndexOf('\n') + 1; // a kill may have cut the last line
    text.substring(0, end).lines().skip(1).forEach(this::read);
    file.truncate(end).position(end);
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
    while (bytes.hasRemaining()) {
      file.write(bytes);
    }
  }

  /** Returns what was skipped, in words; empty if there is nothing to say. */
  synchronized String skipped() {
    if (before == 0) {
      return "";
    }
    return skipped == 0
        ? "none of the " + before + " commands done in " + name + " is one of these"
        : skipped + " done before, by " + name;
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
