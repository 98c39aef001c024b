package dev.pacegate.state;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.pacegate.state.Slots.DamagedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
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
 * layout  where the last three parts are since the file grew: two slots, written in turns
 * process the process record, to measure the time between processes: two slots, written in turns
 * epochs  the last limits that were in force
 * ring    requests that have ended, or need no end: two slots each, as the last is rewritten often
 * open    permits that have not ended
 * </pre>
 */
final class StateFile implements AutoCloseable {

  private static final long MAGIC =
      ByteBuffer.wrap("PACEGATE".getBytes(US_ASCII)).order(ByteOrder.LITTLE_ENDIAN).getLong();

  private static final long VERSION = 2; // the first had no number of epochs in its head
  private static final int PAGE = 4096;
  private static final int PROCESS = PAGE;
  static final int EPOCHS = PROCESS + PAGE;
  private static final int BEGUN = EPOCHS + 2 * LimitEpoch.LENGTH * Long.BYTES; // the first is 1
  private static final int HEAD = 32;
  private static final int LAYOUT = 64;
  private static final int CHUNK = 1 << 16;

  /** The file is none that can be read. */
  static final class UnusableException extends IOException {
    private static final long serialVersionUID = 1;

    /** Whether it was one, so that it may be deleted; otherwise it is some other file. */
    final boolean wasOne;

    UnusableException(String message, boolean wasOne) {
      super(message);
      this.wasOne = wasOne;
    }
  }

  /** Of this process: opening a file again and closing it would release its lock. */
  private static final Set<Object> IN_USE = ConcurrentHashMap.newKeySet();

  /**
   * The open channels, so that none is collected. Its lock would be gone while its key is still
   * {@linkplain #IN_USE in use}, and the system might give a new file the same inode. Those that
   * {@link #releaseOther} leaves open are never closed.
   */
  private static final Set<FileChannel> HELD = ConcurrentHashMap.newKeySet();

  private static final int MOST_TRIES = 50;

  private final Object key;
  private final FileChannel channel;
  private final MappedMemory memory;
  final FileSize size;
  private final Slots layout;
  final Slots process;
  final Slots epochs;
  final Slots ring;
  final Slots open;

  private StateFile(Object key, FileChannel channel, FileSize size, Mapping mapping)
      throws IOException {
    this.key = key;
    this.channel = channel;
    this.size = size;
    this.memory = mapping.of(channel.map(MapMode.READ_WRITE, 0, size.bytes()));
    this.layout = layout(memory);
    this.process = new Slots(memory, PROCESS, 2, LogRecord.LENGTH);
    this.epochs = new Slots(memory, size.begin(), size.epochs(), LimitEpoch.LENGTH);
    this.ring = new Slots(memory, epochs.end(), 2 * size.ring(), LogRecord.LENGTH);
    this.open = new Slots(memory, ring.end(), size.open(), LogRecord.LENGTH);
  }

  private static Slots layout(MappedMemory memory) {
    return new Slots(memory, LAYOUT, 2, 5);
  }

  /** Maps a file into memory. */
  @FunctionalInterface
  interface Mapping {
    MappedMemory of(MappedByteBuffer bytes);

    /** Told after each step that is no store, for tests of processes that die. */
    default void step() {}

    /** Told between looks at a name, for tests of files that are removed or replaced. */
    default void look() {}
  }

  /**
   * Opens {@code path}; creates it, of {@code size}, if it does not exist.
   *
   * @param beginning writes the initial contents of a new file, before it counts as one
   * @throws UnusableException if the file is none that can be read
   */
  static StateFile open(Path path, FileSize size, Mapping mapping, Consumer<StateFile> beginning)
      throws IOException {
    return uninterrupted(
        path,
        () -> {
          synchronized (IN_USE) { // no other thread may find a file that is being made
            return openOrMake(path, size, mapping, beginning);
          }
        });
  }

  private interface FileWork {
    StateFile run() throws IOException;
  }

  /** An interrupt would close the channel, and so release the lock. */
  private static StateFile uninterrupted(Path path, FileWork work) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      return work.run();
    } catch (ClosedByInterruptException | FileLockInterruptionException late) {
      throw new IOException("interrupted while opening the state file " + path, late);
    } catch (AccessDeniedException denied) {
      throw new IOException("the state file " + path + " cannot be written", denied);
    } catch (FileSystemException e) {
      throw new IOException("the state file " + path + " cannot be opened: " + e.getReason(), e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static StateFile openOrMake(
      Path path, FileSize size, Mapping mapping, Consumer<StateFile> beginning) throws IOException {
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      try {
        StateFile file = tryToOpenOrMake(path, size, mapping, beginning);
        if (file != null) {
          return file;
        }
      } catch (NoSuchFileException removed) {
        if (Files.isSymbolicLink(path)) {
          throw new IOException("the state file " + path + " is a link to nothing", removed);
        }
      }
    }
    throw new IOException(
        "the state file " + path + " is replaced again and again, or its file system is unfit");
  }

  /** Returns null if the file was removed or replaced before it was locked. */
  private static @Nullable StateFile tryToOpenOrMake(
      Path path, FileSize size, Mapping mapping, Consumer<StateFile> beginning) throws IOException {
    boolean created = create(path);
    mapping.look();
    Object key = claim(path);
    FileChannel channel = null;
    boolean named = false; // it is the file that was claimed
    boolean unfinished = false; // and locked
    try {
      mapping.look();
      channel = FileChannel.open(path, READ, WRITE);
      HELD.add(channel);
      if (!stillHasName(path, key)) {
        releaseOther(key, channel);
        return null;
      }
      named = true;
      lock(path, channel);
      mapping.step();
      if (!stillHasName(path, key)) {
        release(key, channel);
        return null;
      }
      unfinished = isUnfinished(channel, size);
      return unfinished
          ? make(key, path, channel, size, mapping, beginning)
          : new StateFile(key, channel, readHead(path, channel), mapping);
    } catch (IOException | RuntimeException | Error e) {
      try {
        // Only while it is locked, as a process that has it open looks again once it has the lock.
        // An interrupt closes the channel, and so ends the lock.
        if (created && unfinished && isOpen(channel) && stillHasName(path, key)) {
          Files.delete(path);
        }
      } catch (IOException second) {
        e.addSuppressed(second);
      } finally {
        if (named || channel == null) {
          release(key, channel);
        } else {
          releaseOther(key, channel);
        }
      }
      throw e;
    }
  }

  private static void lock(Path path, FileChannel channel) throws IOException {
    try {
      if (channel.tryLock() != null) {
        return;
      }
    } catch (OverlappingFileLockException e) { // this process has locked it for something else
      throw new StateInUseException(path);
    }
    throw new StateInUseException(path);
  }

  private static boolean isOpen(@Nullable FileChannel channel) {
    return channel != null && channel.isOpen();
  }

  /**
   * Releases a file whose name was another file's when it was opened. That may be one which another
   * limiter of this process uses: closing any channel of it would release its lock.
   */
  private static void releaseOther(Object key, FileChannel channel) throws IOException {
    IN_USE.remove(key);
    if (IN_USE.isEmpty()) {
      close(channel);
    }
  }

  /** Returns whether the file that has this name is the one that was opened. */
  private static boolean stillHasName(Path path, Object key) throws IOException {
    try {
      return key.equals(key(path));
    } catch (NoSuchFileException removed) {
      return false;
    }
  }

  /**
   * Makes an empty file unless there is one: processes that come at the same time lock the same.
   * Returns whether it did.
   */
  private static boolean create(Path path) throws IOException {
    try {
      Files.createFile(path);
      return true;
    } catch (FileAlreadyExistsException exists) {
      return false; // it will be opened
    } catch (NoSuchFileException noFolder) {
      throw new IOException("there is no folder for the state file " + path, noFolder);
    }
  }

  /** Writes a whole file, the magic number last: until then it is {@linkplain #isUnfinished}. */
  private static StateFile make(
      Object key,
      Path path,
      FileChannel channel,
      FileSize size,
      Mapping mapping,
      Consumer<StateFile> beginning)
      throws IOException {
    try {
      channel.truncate(0); // what is there is unfinished, perhaps for another limit
      fill(channel, 0, size.bytes(), mapping);
      var file = new StateFile(key, channel, size, mapping);
      beginning.accept(file);
      file.force();
      file.writeHead(size);
      forceFolder(path);
      return file;
    } catch (IOException | RuntimeException | Error e) {
      empty(channel, e);
      throw new IOException("the state file " + path + " cannot be created: " + e.getMessage(), e);
    }
  }

  /**
   * Writes zeros there, as a store into a hole of the file fails when the disk is full. A write may
   * write less than it is asked to: then the disk is nearly full.
   */
  static void fill(SeekableByteChannel channel, long from, long to, Mapping mapping)
      throws IOException {
    var zeros = ByteBuffer.allocate(CHUNK);
    channel.position(from);
    for (long at = from; at < to; at += zeros.position()) {
      zeros.clear().limit((int) Math.min(zeros.capacity(), to - at));
      channel.write(zeros);
      mapping.step();
    }
  }

  /** What is not finished stays so, also if the file cannot be deleted. */
  private static void empty(FileChannel channel, Throwable failure) {
    try {
      channel.truncate(0);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /** Waits until the name of a new file is on disk as well. */
  private static void forceFolder(Path path) throws IOException {
    Path folder = path.toRealPath().getParent();
    if (folder != null) {
      try (var channel = FileChannel.open(folder, READ)) {
        channel.force(true);
      } catch (IOException notSo) {
        // Not every system can open folders.
      }
    }
  }

  /**
   * Returns whether a process died, or the machine, before it had made the file. Then the magic
   * number is missing, and nothing has been let through. So it is with an empty file.
   */
  private static boolean isUnfinished(FileChannel channel, FileSize size) throws IOException {
    return channel.size() <= Math.max(size.bytes(), FileSize.USUAL.bytes())
        && isZero(channel, 0, Long.BYTES)
        && isZero(channel, HEAD, PROCESS)
        && isZero(channel, BEGUN, channel.size());
  }

  /** Returns whether the file has only zeros there, as far as it goes. */
  private static boolean isZero(FileChannel channel, long from, long to) throws IOException {
    var bytes = ByteBuffer.allocate(CHUNK);
    for (long at = from; at < to; at += bytes.position()) {
      bytes.clear().limit((int) Math.min(bytes.capacity(), to - at));
      if (channel.read(bytes, at) < 0) {
        return true;
      }
      for (int i = 0; i < bytes.position(); i++) {
        if (bytes.get(i) != 0) {
          return false;
        }
      }
    }
    return true;
  }

  private static Object claim(Path path) throws IOException {
    var file = Files.readAttributes(path, BasicFileAttributes.class);
    if (!file.isRegularFile()) {
      throw new IOException("the state file " + path + " must be a regular file");
    }
    Object key = file.fileKey() == null ? path.toRealPath() : file.fileKey();
    if (!IN_USE.add(key)) {
      throw new StateInUseException(path);
    }
    return key;
  }

  /** Returns what tells one file from another, whatever its name. */
  private static Object key(Path path) throws IOException {
    Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    return key == null ? path.toRealPath() : key;
  }

  /**
   * Gives this file room for more. The new parts follow the old ones, and count from when the
   * layout says so, which is stored last.
   *
   * @param contents writes what the old parts hold to the new ones
   * @return the file with the new parts; this one as it was if the disk is full
   */
  StateFile grow(Path path, FileSize wanted, Mapping mapping, Consumer<StateFile> contents)
      throws IOException {
    return uninterrupted(
        path,
        () -> {
          FileSize next = wanted.from(size.bytes());
          StateFile grown;
          try {
            fill(channel, next.begin(), next.bytes(), mapping);
            grown = new StateFile(key, channel, next, mapping);
            contents.accept(grown);
            grown.force();
          } catch (ClosedByInterruptException interrupted) {
            throw interrupted; // nothing more can be written
          } catch (IOException | UncheckedIOException full) {
            channel.truncate(size.bytes());
            return this;
          }
          boolean isFirst = layout.get(0, 1) == size.begin();
          grown.layout.write(
              isFirst ? 1 : 0,
              new long[] {0, next.begin(), next.ring(), next.open(), next.epochs()});
          grown.force();
          return grown;
        });
  }

  // ---- head

  /** In plain sight, not in a slot: what it is, its version, its sizes, and a check of these. */
  private void writeHead(FileSize size) {
    memory.set(8, VERSION);
    memory.set(16, size.ring() | (long) size.open() << 32); // two numbers of four bytes
    memory.set(24, (size.check() & 0xffffffffL) | ((long) size.epochs() << 32)); // two more
    memory.setInTurn(0, MAGIC);
    force();
  }

  private static FileSize readHead(Path path, FileChannel channel) throws IOException {
    var head = ByteBuffer.allocate(HEAD).order(ByteOrder.LITTLE_ENDIAN);
    channel.read(head, 0);
    if (head.position() < 8 || head.getLong(0) != MAGIC) {
      throw new UnusableException(path + " is not a state file of Pacegate", false);
    }
    boolean isWhole = head.position() == head.capacity();
    boolean isFirst = isWhole && head.getLong(8) == 1;
    if (isWhole && !isFirst && head.getLong(8) != VERSION) {
      throw new UnusableException(path + " is a state file of another version", true);
    }
    int epochs = isFirst ? FileSize.USUAL.epochs() : head.getInt(28);
    var size = new FileSize(head.getInt(16), head.getInt(20), epochs);
    if (!isWhole
        || !size.isPossible()
        || head.getInt(24) != size.check()
        || channel.size() < size.bytes()) {
      throw damaged(path);
    }
    return readLayout(path, channel, size);
  }

  /** A process that dies while the file grows leaves more bytes than are in use. */
  private static FileSize readLayout(Path path, FileChannel channel, FileSize first)
      throws IOException {
    try {
      var head = new MappedMemory(channel.map(MapMode.READ_ONLY, 0, PAGE));
      long[] n = layout(head).readLast(0);
      FileSize size =
          n == null ? first : new FileSize((int) n[2], (int) n[3], (int) n[4], (int) n[1]);
      if (channel.size() < size.bytes()) {
        throw damaged(path);
      }
      return size;
    } catch (DamagedException e) {
      throw damaged(path);
    }
  }

  private static UnusableException damaged(Path path) {
    return new UnusableException("the state file " + path + " is damaged or cut short", true);
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
        close(channel);
      }
    } finally {
      if (key != null) {
        IN_USE.remove(key);
      }
    }
  }

  private static void close(FileChannel channel) throws IOException {
    HELD.remove(channel);
    channel.close();
  }
}
