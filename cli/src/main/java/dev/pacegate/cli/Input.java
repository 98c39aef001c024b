package dev.pacegate.cli;

import java.io.EOFException;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/** A file or standard input, read without a buffer, whose failures name it. */
final class Input implements AutoCloseable {

  private static final byte[] GZIP = {0x1f, (byte) 0x8b};

  private static final long MOST_COUNTED = 1 << 28; // bytes: less than a second if they are cached

  private final InputStream in;
  private final String name;
  private final long beginning; // where in a file reading begins; -1 if it is none

  private Input(InputStream in, String name) {
    this.in = in;
    this.name = name;
    this.beginning = in instanceof FileInputStream file ? position(file) : -1;
  }

  private static long position(FileInputStream file) {
    try {
      FileChannel channel = file.getChannel();
      return channel.size() > 0 ? channel.position() : -1;
    } catch (IOException noFile) {
      return -1;
    }
  }

  /** Opens {@code file}; without one, or for {@code -}, that is standard input. */
  static Input open(@Nullable String file, World world) throws Failure {
    if (file == null || file.equals("-")) {
      return new Input(world.in(), "standard input");
    }
    try {
      return new Input(new FileInputStream(file), file);
    } catch (FileNotFoundException e) {
      throw new Failure("cannot read " + e.getMessage());
    }
  }

  /** Returns the path of {@code file}; null if that is standard input. */
  static @Nullable Path path(@Nullable String file) {
    return file == null || file.equals("-") ? null : Path.of(file);
  }

  /** Opens {@code file} as {@link #open} does, unpacked if it is compressed by gzip. */
  static Input openLog(String file, World world) throws Failure {
    Input packed = open(file, world);
    try {
      var in = new AlwaysMore(packed.in);
      byte[] first = in.readNBytes(GZIP.length);
      in.unread(first);
      return new Input(Arrays.equals(first, GZIP) ? new PackedParts(in) : in, packed.name);
    } catch (IOException e) {
      packed.close();
      throw cannotRead(packed.name, e);
    }
  }

  private static Failure cannotRead(String name, IOException why) {
    String reason =
        why instanceof EOFException ? "it ends within what gzip has packed" : why.getMessage();
    return new Failure(Status.IO, "cannot read " + name + ": " + reason);
  }

  /**
   * Always says that more can be read: else what reads gzip takes a pause of a pipe behind one
   * packed part for the end, and drops those that follow.
   */
  private static final class AlwaysMore extends PushbackInputStream {
    AlwaysMore(InputStream in) {
      super(in, GZIP.length);
    }

    @Override
    public int available() {
      return 1;
    }
  }

  /** Parts packed by gzip. The JDK's stream drops what follows them; zeros may. */
  private static final class PackedParts extends GZIPInputStream {
    private static final int TRAILER = 8;

    PackedParts(InputStream in) throws IOException {
      super(in, 1 << 16);
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int count = super.read(bytes, from, length);
      if (count < 0 && isFollowed()) {
        throw new ZipException("what follows a part packed by gzip is not packed");
      }
      return count;
    }

    private boolean isFollowed() throws IOException {
      for (int at = Math.min(len, len - inf.getRemaining() + TRAILER); at < len; at++) {
        if (buf[at] != 0) {
          return true;
        }
      }
      for (int next = in.read(); next >= 0; next = in.read()) {
        if (next != 0) {
          return true;
        }
      }
      return false;
    }
  }

  /** Reads one byte or more into {@code buffer}, beginning at {@code from}; -1 at the end. */
  int read(byte[] buffer, int from) throws Failure {
    try {
      return in.read(buffer, from, buffer.length - from);
    } catch (IOException e) {
      throw cannotRead(name, e);
    }
  }

  String name() {
    return name;
  }

  /** Returns how many bytes the input has from where reading began; -1 if it is no file. */
  long size() {
    try {
      return beginning < 0
          ? -1
          : Math.max(0, ((FileInputStream) in).getChannel().size() - beginning);
    } catch (IOException unknown) {
      return -1;
    }
  }

  /** Returns how many lines there are from where reading began; -1 if it is no or a huge file. */
  long lines(char terminator) {
    long size = size();
    if (size < 0 || size > MOST_COUNTED) {
      return -1;
    }
    try {
      return lines(((FileInputStream) in).getChannel(), beginning, (byte) terminator);
    } catch (IOException unknown) {
      return -1;
    }
  }

  /** Reads from {@code beginning} on without moving the position of the reader. */
  private static long lines(FileChannel file, long beginning, byte terminator) throws IOException {
    var buffer = ByteBuffer.allocate(1 << 16);
    long lines = 0;
    byte last = terminator;
    long at = beginning;
    for (int n = file.read(buffer, at); n > 0; n = file.read(buffer.clear(), at)) {
      at += n;
      for (int i = 0; i < n; i++) {
        lines += buffer.get(i) == terminator ? 1 : 0;
      }
      last = buffer.get(n - 1);
    }
    return lines + (last == terminator ? 0 : 1);
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException unread) {
      // All that was wanted has been read.
    }
  }
}
