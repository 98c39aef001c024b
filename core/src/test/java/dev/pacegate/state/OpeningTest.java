package dev.pacegate.state;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A file that others make, remove or replace while it is opened. */
@EnabledOnOs(OS.LINUX)
class OpeningTest {

  private static final FileSize SMALL = new FileSize(16, 6);
  private static final Limit LIMIT = Limits.parse("3/1m");

  private final BootClock machine = new BootClock(Clock.systemUTC(), new UUID(1, 2));

  @TempDir Path folder;

  private SavedState open(Path path, Limit limit, StateFile.Mapping mapping) throws IOException {
    return SavedState.open(path, limit, machine, 0, () -> Instant.EPOCH, SMALL, mapping);
  }

  private static int takeAll(SavedState state) {
    int taken = 0;
    while (taken < 100 && state.meter().nanosUntil(0, 0, Cost.ONE) == 0) {
      state.meter().release(0, 0, Cost.ONE);
      taken++;
    }
    return taken;
  }

  @Test
  void aFileThatThisProcessHasLockedForSomethingElseIsInUse() throws Exception {
    Path path = folder.resolve("state");
    try (var other = FileChannel.open(path, CREATE, WRITE)) {
      FileLock unused = other.lock();
      assertThrows(StateInUseException.class, () -> open(path, LIMIT, MappedMemory::new));
    }
  }

  private void assertFull(Path path, Runnable meanwhile) {
    StateFile.Mapping full =
        new StateFile.Mapping() {
          private int steps;

          @Override
          public MappedMemory of(MappedByteBuffer bytes) {
            throw new AssertionError();
          }

          @Override
          public void step() {
            if (steps++ > 0) {
              meanwhile.run();
              throw new UncheckedIOException(new IOException("No space left on device"));
            }
          }
        };
    var e = assertThrows(IOException.class, () -> open(path, LIMIT, full));
    assertTrue(String.valueOf(e.getMessage()).contains("No space left on device"));
  }

  @Test
  void aFileThatCannotBeMadeIsRemoved() throws IOException {
    Path path = folder.resolve("state");
    assertFull(path, () -> {});
    assertTrue(Files.notExists(path));
    open(path, LIMIT, MappedMemory::new).close();
  }

  @Test
  void aFileThatAnotherProcessMadeStays() throws IOException {
    Path path = Files.createFile(folder.resolve("state"));
    assertFull(path, () -> {});
    assertEquals(0, Files.size(path));
    Files.delete(path);
    assertFull(path, () -> replace(path, new byte[] {1}));
    assertEquals(1, Files.size(path));
  }

  private void replace(Path path, byte[] content) {
    try {
      Files.move(Files.write(folder.resolve("other"), content), path, REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The lock is that of a file which does not have the name any more. */
  @Test
  void aFileThatIsReplacedMeanwhileIsNotUsed() throws IOException {
    Path path = folder.resolve("state");
    try (SavedState state = open(path, LIMIT, MappedMemory::new)) {
      assertEquals(3, takeAll(state));
    }
    byte[] spent = Files.readAllBytes(path);
    Files.delete(path);
    open(path, LIMIT, MappedMemory::new).close();
    for (int round = 0; round < 2; round++) { // replaced, and removed
      var replacing = new ReplacedOnce(path, round == 0 ? spent : null);
      try (SavedState state = open(path, LIMIT, replacing)) {
        assertEquals(round == 0 ? 0 : 3, takeAll(state));
      }
      try (SavedState next = open(path, LIMIT, MappedMemory::new)) {
        assertEquals(0, takeAll(next));
      }
    }
  }

  private final class ReplacedOnce implements StateFile.Mapping {
    private final Path path;
    private final byte @Nullable [] content;
    private boolean done;

    ReplacedOnce(Path path, byte @Nullable [] content) {
      this.path = path;
      this.content = content;
    }

    @Override
    public MappedMemory of(MappedByteBuffer bytes) {
      return new MappedMemory(bytes);
    }

    @Override
    public void step() {
      if (!done && content != null) {
        replace(path, content);
      } else if (!done) {
        assertTrue(path.toFile().delete());
      }
      done = true;
    }
  }

  /** Does something at each step, and says that no memory is left if told so. */
  private record Meddling(Runnable atLook, Runnable atStep, boolean full)
      implements StateFile.Mapping {
    @Override
    public MappedMemory of(MappedByteBuffer bytes) {
      if (full) {
        throw new UncheckedIOException(new IOException("Cannot allocate memory"));
      }
      return new MappedMemory(bytes);
    }

    @Override
    public void step() {
      atStep.run();
    }

    @Override
    public void look() {
      atLook.run();
    }
  }

  private byte[] spent() throws IOException {
    Path path = folder.resolve("spent");
    try (SavedState state = open(path, LIMIT, MappedMemory::new)) {
      assertEquals(3, takeAll(state));
    }
    byte[] spent = Files.readAllBytes(path);
    Files.delete(path);
    return spent;
  }

  /** The first process made the empty file, and the second one locked and finished it. */
  @Test
  void aFileThatAnotherProcessFinishedStays() throws IOException {
    Path path = folder.resolve("state");
    byte[] spent = spent();
    var finished = new Meddling(() -> {}, () -> write(path, spent), true);
    assertThrows(UncheckedIOException.class, () -> open(path, LIMIT, finished));
    assertArrayEquals(spent, Files.readAllBytes(path));
  }

  /** An interrupt closes the channel and ends the lock, so the file may be another's by then. */
  @Test
  void aFileWhoseLockAnInterruptEndedStays() {
    Path path = folder.resolve("state");
    int[] steps = {0};
    var interrupted =
        new Meddling(
            () -> {},
            () -> {
              if (++steps[0] == 2) {
                Thread.currentThread().interrupt();
              }
            },
            false);
    assertThrows(IOException.class, () -> open(path, LIMIT, interrupted));
    assertTrue(Thread.interrupted());
    assertTrue(Files.exists(path));
  }

  private static void write(Path path, byte[] content) {
    try {
      Files.write(path, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The name cannot be looked up any more, so the file cannot be deleted. */
  @Test
  void aFileThatCannotBeRemovedIsReleased() throws IOException {
    Path inner = Files.createDirectory(folder.resolve("inner"));
    Path gone = folder.resolve("gone");
    assertFull(
        inner.resolve("state"),
        () -> {
          try {
            Files.move(inner, gone);
            Files.createFile(inner);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    open(gone.resolve("state"), LIMIT, MappedMemory::new).close();
  }

  @Test
  void aNameThatNeverStaysIsGivenUp() {
    Path path = folder.resolve("state");
    int[] rounds = {0};
    var restless =
        new Meddling(
            () -> {},
            () -> {
              assertTrue(rounds[0]++ < 1000, "without end");
              replace(path, new byte[0]);
            },
            false);
    var e = assertThrows(IOException.class, () -> open(path, LIMIT, restless));
    assertTrue(String.valueOf(e.getMessage()).contains(path.toString()), e::toString);
  }

  /** Before it is looked at, and before it is opened. */
  @Test
  void aFileThatIsRemovedMeanwhileIsMadeAgain() throws IOException {
    for (int last = 0; last < 2; last++) {
      Path path = folder.resolve("state" + last);
      int[] looks = {last};
      var removing =
          new Meddling(
              () -> {
                if (looks[0]-- == 0) {
                  assertTrue(path.toFile().delete());
                }
              },
              () -> {},
              false);
      try (SavedState state = open(path, LIMIT, removing)) {
        assertEquals(3, takeAll(state));
      }
    }
  }

  @Test
  void aLinkToNothingIsNamed() throws IOException {
    Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("nothing"));
    var e = assertThrows(IOException.class, () -> open(link, LIMIT, MappedMemory::new));
    assertTrue(String.valueOf(e.getMessage()).contains("is a link to nothing"), e::toString);
  }

  /** The system drops a lock as soon as the process closes any channel of the file. */
  @Test
  void aFileInUseThatTakesTheNameStaysLocked() throws IOException {
    Path path = folder.resolve("state");
    Path other = folder.resolve("other");
    try (SavedState state = open(other, LIMIT, MappedMemory::new)) {
      assertEquals(3, takeAll(state));
      assumeTrue(isLocked(other));
      int[] looks = {0};
      var renaming =
          new Meddling(
              () -> {
                if (looks[0]++ == 1) {
                  link(path, other);
                }
              },
              () -> {},
              false);
      assertThrows(StateInUseException.class, () -> open(path, LIMIT, renaming));
      assertTrue(isLocked(other));
    }
  }

  private void link(Path path, Path other) {
    try {
      Path link = Files.createLink(folder.resolve("link"), other);
      Files.move(link, path, REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isLocked(Path path) throws IOException {
    Object inode = Files.getAttribute(path, "unix:ino");
    return Files.readString(Path.of("/proc/locks"), UTF_8).contains(":" + inode + " ");
  }

  @Test
  void aFileThatCannotBeMarkedAsClosedIsReleased() throws Exception {
    Path path = folder.resolve("state");
    var full = new AtomicBoolean();
    StateFile.Mapping mapping =
        bytes ->
            new MappedMemory(bytes) {
              @Override
              void force() {
                if (full.get()) {
                  throw new UncheckedIOException(new IOException("Input/output error"));
                }
              }
            };
    SavedState state = open(path, LIMIT, mapping);
    full.set(true);
    assertThrows(UncheckedIOException.class, () -> state.close(0));
    open(path, LIMIT, MappedMemory::new).close();
  }

  /** Otherwise the system might give its inode to a new file, which would seem to be in use. */
  @Test
  @Timeout(60)
  void aFileThatIsNeverClosedStaysOpen() throws Exception { // for as long as this JVM runs
    Path path = folder.resolve("state");
    var lost = new WeakReference<>(open(path, LIMIT, MappedMemory::new));
    assumeTrue(isLocked(path), "this file system shows no locks");
    while (lost.get() != null) {
      System.gc();
    }
    var cleaner = Cleaner.create();
    for (int i = 0; i < 10; i++) { // what closes collected channels is such a thread, too
      var collected = new CountDownLatch(1);
      var unused = cleaner.register(new Object(), collected::countDown);
      do {
        System.gc();
      } while (!collected.await(10, TimeUnit.MILLISECONDS));
    }
    assertTrue(isLocked(path));
  }

  /** After a power failure, entries may be there whose limit is not. */
  @ParameterizedTest
  @CsvSource({"1, 2", "2, 0"})
  void anEntryOfALimitThatIsNotThereSpendsAll(long epoch, int left) throws Exception {
    Path path = folder.resolve("state");
    StateFile.Mapping mapping = MappedMemory::new;
    open(path, LIMIT, mapping).close();
    var entry = new long[LogRecord.LENGTH];
    entry[LogRecord.NUMBER] = 1;
    entry[LogRecord.KIND] = LogRecord.STARTED;
    entry[LogRecord.EPOCH] = epoch;
    entry[LogRecord.BORN] = 1;
    entry[LogRecord.DONE] = 1;
    LogRecord.putCost(entry, Cost.ONE, List.of());
    try (var file = StateFile.open(path, SMALL, mapping, made -> {})) {
      file.ring.write(2, entry);
    }
    try (SavedState next = open(path, LIMIT, mapping)) {
      assertEquals(left, takeAll(next));
    }
  }
}
