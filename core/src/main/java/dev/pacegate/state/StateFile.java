package dev.pacegate.state;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileLockInterruptionException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state file, mapped and locked.
 *
 * <pre>
 * head    magic number, version and sizes
 * process the process record, to measure the time between processes: two slots, written in turns
 * epochs  the last limits that were in force
 * ring    requests that have ended, or need no end: two slots each, as the last is rewritten often
 * open    permits that have not ended
 * </pre>
 */
final class StateFile implements AutoCloseable {

  /** The numbers of entries in a file: of requests that are over, and of open ones. */
  record Size(int ring, int open) {
    static final Size USUAL = new Size(1 << 14, 1 << 14);
    private static final int MOST = 1 << 20;

    boolean isPossible() {
      return ring >= 4 && ring <= MOST && open >= 1 && open <= MOST;
    }

    int check() {
      return ~(31 * ring + open);
    }

    int bytes() {
      int entries = 2 * ring + open;
      return PROCESS
          + PAGE
          + (EPOCHS * LimitEpoch.LENGTH + entries * LogRecord.LENGTH) * Long.BYTES;
    }
  }

  private static final long MAGIC =
      ByteBuffer.wrap("PACEGATE".getBytes(US_ASCII)).order(ByteOrder.LITTLE_ENDIAN).getLong();

  private static final long VERSION = 1;
  private static final int PAGE = 4096;
  private static final int PROCESS = PAGE;
  private static final int EPOCHS = 64;

  private static final String ANEW =
      "; to start over, delete it and add initial=spent to the limit until an interval has passed";

  /** Of this process: opening a file again and closing it would release its lock. */
  private static final Set<Object> IN_USE = ConcurrentHashMap.newKeySet();

  private final Object key;
  private final FileChannel channel;
  private final MappedByteBuffer bytes;
  private final MappedMemory memory;
  final Slots process;
  final Slots epochs;
  final Slots ring;
  final Slots open;

  private StateFile(Object key, FileChannel channel, Size size, Mapping mapping)
      throws IOException {
    this.key = key;
    this.channel = channel;
    this.bytes = channel.map(MapMode.READ_WRITE, 0, size.bytes());
    this.memory = mapping.of(bytes);
    this.process = new Slots(memory, PROCESS, 2, LogRecord.LENGTH);
    this.epochs = new Slots(memory, PROCESS + PAGE, EPOCHS, LimitEpoch.LENGTH);
    this.ring = new Slots(memory, epochs.end(), 2 * size.ring, LogRecord.LENGTH);
    this.open = new Slots(memory, ring.end(), size.open, LogRecord.LENGTH);
  }

  /** Maps a file into memory. */
  @FunctionalInterface
  interface Mapping {
    MappedMemory of(MappedByteBuffer bytes);
  }

  /**
   * Opens {@code path}; creates it, of {@code size}, if it does not exist.
   *
   * @param beginning writes the initial contents of a new file, before it is visible as one
   */
  static StateFile open(Path path, Size size, Mapping mapping, Consumer<StateFile> beginning)
      throws IOException {
    boolean interrupted = Thread.interrupted(); // an interrupt would close the channel
    try {
      synchronized (IN_USE) { // no other thread may find a file that is being made
        return openOrMake(path, size, mapping, beginning);
      }
    } catch (ClosedByInterruptException | FileLockInterruptionException late) {
      throw new IOException("interrupted while opening the state file " + path, late);
    } catch (NoSuchFileException noFolder) {
      throw new IOException("there is no folder for the state file " + path, noFolder);
    } catch (AccessDeniedException denied) {
      throw new IOException("the state file " + path + " cannot be written", denied);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static StateFile openOrMake(
      Path path, Size size, Mapping mapping, Consumer<StateFile> beginning) throws IOException {
    try {
      FileChannel made = FileChannel.open(path, READ, WRITE, CREATE_NEW);
      return use(path, made, size, mapping, beginning);
    } catch (FileAlreadyExistsException exists) {
      return openExisting(path, mapping);
    }
  }

  private static StateFile use(
      Path path, FileChannel made, Size size, Mapping mapping, Consumer<StateFile> beginning)
      throws IOException {
    Object key = null;
    try {
      key = claim(path);
      made.lock();
      // Written in full, as a store into a hole of the file fails when the disk is full.
      var zeros = ByteBuffer.allocate(1 << 16);
      for (long at = 0; at < size.bytes(); at += zeros.capacity()) {
        zeros.clear().limit((int) Math.min(zeros.capacity(), size.bytes() - at));
        made.write(zeros, at);
      }
      var file = new StateFile(key, made, size, mapping);
      beginning.accept(file);
      file.force();
      file.writeHead(size);
      return file;
    } catch (IOException | RuntimeException | Error e) {
      try {
        Files.deleteIfExists(path);
      } finally {
        release(key, made);
      }
      throw new IOException("the state file " + path + " cannot be created: " + e.getMessage(), e);
    }
  }

  private static StateFile openExisting(Path path, Mapping mapping) throws IOException {
    if (!Files.isRegularFile(path)) {
      throw new IOException("the state file " + path + " must be a regular file");
    }
    Object key = claim(path);
    FileChannel channel = null;
    try {
      channel = FileChannel.open(path, READ, WRITE);
      if (channel.tryLock() == null) {
        throw inUse(path);
      }
      return new StateFile(key, channel, readHead(path, channel), mapping);
    } catch (IOException | RuntimeException | Error e) {
      release(key, channel);
      throw e;
    }
  }

  private static Object claim(Path path) throws IOException {
    Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    Object known = key == null ? path.toRealPath() : key;
    if (!IN_USE.add(known)) {
      throw inUse(path);
    }
    return known;
  }

  private static IOException inUse(Path path) {
    return new IOException(
        "the state file " + path + " is in use by another limiter: give each its own");
  }

  // ---- head

  /** In plain sight, not in a slot: what it is, its version, its sizes, and a check of these. */
  private void writeHead(Size size) {
    bytes.order(ByteOrder.LITTLE_ENDIAN).putLong(8, VERSION);
    bytes.putInt(16, size.ring).putInt(20, size.open);
    bytes.putInt(24, size.check());
    bytes.putLong(0, MAGIC);
    force();
  }

  private static Size readHead(Path path, FileChannel channel) throws IOException {
    var head = ByteBuffer.allocate(28).order(ByteOrder.LITTLE_ENDIAN);
    channel.read(head, 0);
    if (head.position() < 8 || head.getLong(0) != MAGIC) {
      throw new IOException(path + " is not a state file of Pacegate" + ANEW);
    }
    if (head.position() == head.capacity() && head.getLong(8) != VERSION) {
      throw new IOException(path + " is a state file of another version" + ANEW);
    }
    var size = new Size(head.getInt(16), head.getInt(20));
    if (head.position() < head.capacity()
        || !size.isPossible()
        || head.getInt(24) != size.check()
        || channel.size() != size.bytes()) {
      throw new IOException("the state file " + path + " is damaged or cut short" + ANEW);
    }
    return size;
  }

  /** Erases everything but the process record. */
  void wipe() {
    for (Slots slots : List.of(epochs, ring, open)) {
      slots.wipe();
    }
  }

  /** Waits until everything is on disk. */
  void force() {
    memory.force();
  }

  @Override
  public void close() throws IOException {
    release(key, channel);
  }

  private static void release(@Nullable Object key, @Nullable FileChannel channel)
      throws IOException {
    try {
      if (channel != null) {
        channel.close();
      }
    } finally {
      if (key != null) {
        IN_USE.remove(key);
      }
    }
  }
}
