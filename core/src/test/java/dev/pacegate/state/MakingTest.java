package dev.pacegate.state;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process dies, or the machine, at any step of making a file; and files that cannot be read. */
class MakingTest {

  private static final FileSize SMALL = new FileSize(16, 6);
  private static final int PAGE = 4096;
  private static final Limit LIMIT = Limits.parse("3/1m");

  private final BootClock machine = new BootClock(Clock.systemUTC(), new UUID(1, 2));

  @TempDir Path folder;
  private long now; // by the calendar, since 1970

  /** What is in the file after each step of making it. */
  private final class Steps implements StateFile.Mapping {
    final List<byte[]> left = new ArrayList<>();
    private final Path path;

    Steps(Path path) {
      this.path = path;
    }

    @Override
    public void step() {
      try {
        try (var files = Files.list(folder)) {
          assertEquals(1, files.count(), "nothing but the file is in the folder");
        }
        byte[] now = Files.readAllBytes(path);
        if (left.isEmpty() || !Arrays.equals(now, left.get(left.size() - 1))) {
          left.add(now);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public MappedMemory of(MappedByteBuffer bytes) {
      return new MappedMemory(bytes) {
        @Override
        void set(int at, long number) {
          super.set(at, number);
          step();
        }

        @Override
        void setInTurn(int at, long number) {
          super.setInTurn(at, number);
          step();
        }

        @Override
        void force() {
          super.force();
          step();
        }
      };
    }
  }

  private SavedState open(Path path, Limit limit, StateFile.Mapping mapping) throws IOException {
    return SavedState.open(
        path, limit, machine, 0, () -> Instant.ofEpochSecond(0, now), SMALL, mapping);
  }

  private static int takeAll(SavedState state) {
    int taken = 0;
    while (taken < 100 && state.meter().nanosUntil(0, 0, Cost.ONE) == 0) {
      state.meter().release(0, 0, Cost.ONE);
      taken++;
    }
    return taken;
  }

  private List<byte[]> steps() throws IOException {
    Path path = folder.resolve("state");
    var steps = new Steps(path);
    open(path, LIMIT, steps).close();
    assertTrue(steps.left.size() > 15, () -> steps.left.size() + " steps");
    Files.delete(path);
    return steps.left;
  }

  private void assertFresh(byte[] left, String what) throws IOException {
    Path path = Files.write(folder.resolve("left"), left);
    try (SavedState state = open(path, LIMIT, MappedMemory::new)) {
      assertEquals(3, takeAll(state), what);
    }
    try (SavedState next = open(path, LIMIT, MappedMemory::new)) {
      assertEquals(0, takeAll(next), what);
    }
    Files.delete(path);
  }

  @Test
  void aProcessMayDieAfterAnyStep() throws IOException {
    int step = 0;
    for (byte[] left : steps()) {
      assertFresh(left, "after step " + step++);
    }
    assertFresh(new byte[0], "before the first");
  }

  /** The one that goes on with what the first left behind. */
  @Test
  void theNextProcessMayDieAsWell() throws IOException {
    List<byte[]> first = steps();
    for (int i = 0; i < first.size(); i += 3) {
      Path path = Files.write(folder.resolve("state"), first.get(i));
      var steps = new Steps(path);
      open(path, LIMIT, steps).close();
      Files.delete(path);
      for (int j = i % 3; j < steps.left.size(); j += 3) {
        assertFresh(steps.left.get(j), "after steps " + i + " and " + j);
      }
    }
  }

  /** Each page is on the disk as it was after some step; the head is written after all others. */
  @Test
  void theMachineMayGoDownAfterAnyStep() throws IOException {
    List<byte[]> steps = steps();
    byte[] last = steps.get(steps.size() - 1);
    var random = new SplittableRandom(1);
    for (int round = 0; round < 200; round++) {
      byte[] left = new byte[random.nextInt(last.length + 1)];
      for (int page = 0; page < left.length; page += PAGE) {
        byte[] then = steps.get(random.nextInt(steps.size()));
        int length = Math.min(PAGE, Math.min(left.length, then.length) - page);
        if (page > 0 && length > 0) {
          System.arraycopy(then, page, left, page, length);
        }
      }
      assertFresh(left, "round " + round);
    }
  }

  // ---- files that cannot be read

  private static final Pattern LIMIT_IN_ADVICE =
      Pattern.compile("[;:] to start over, delete it and begin with the limit '(.*)'");

  private IOException refused(Limit limit, byte[] content) throws IOException {
    Path path = Files.write(folder.resolve("wrong"), content);
    var e = assertThrows(IOException.class, () -> open(path, limit, MappedMemory::new));
    Files.delete(path);
    return e;
  }

  /** All kinds of limits that the grammar has. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "3/2s",
        "90000/1m of tokens",
        "bucket(100/1s, burst=20)",
        "bucket(100/1s, burst=20, initial=empty)",
        "bucket(100/1s, burst=20, initial=spent)",
        "bucket(10/1s, burst=5, pay=later, debt=20, slack=10ms)",
        "bucket(10/1s, burst=5) & bucket(10/1s, burst=6, of=tokens)",
        "spacing(100ms)",
        "aligned(5/1m)",
        "aligned(5/1d, zone=Europe/Berlin, at=09:00)",
        "peer(10/1m)",
        "peer(10/1m, unanswered=30s, margin=0s, initial=spent)",
        "peer(bucket(10/1s, burst=5, initial=full), unanswered=1s)",
        "peer(10/1s & spacing(10ms) & 20/1m of tokens)",
        "starts(10/1m)",
        "starts(bucket(10/1m, burst=3, initial=empty))",
        "starts(10/1m, initial=spent)",
        "10/1s & 20/1m & concurrent(3)",
        "peer(10/1s) & bucket(5/1s, burst=5) & concurrent(1000) of mb"
      })
  void theAdviceOfTheMessageIsALimitThatBeginsSpent(String text) throws IOException {
    Limit limit = Limits.parse(text);
    for (String wrong : List.of("hello, world", "PACEGATE", "PACEGATE and much more than that")) {
      String message = String.valueOf(refused(limit, wrong.getBytes(US_ASCII)).getMessage());
      Matcher matcher = LIMIT_IN_ADVICE.matcher(message);
      assertTrue(matcher.find(), message);
      Limit spent = Limits.parse(matcher.group(1));
      assertEquals(limit.promises(), spent.promises());
      Path path = folder.resolve("anew");
      long later = 2 * limit.memory();
      try (SavedState state = open(path, spent, MappedMemory::new)) {
        Cost all = Cost.ONE.and("tokens", 1).and("mb", 1);
        assertTrue(state.meter().nanosUntil(0, 0, all) > 0, spent::toString);
        now = later;
        assertEquals(0, state.meter().nanosUntil(later, later, all), spent::toString);
        now = 0;
      }
      // With it once; then again as before.
      open(path, limit, MappedMemory::new).close();
      Files.delete(path);
    }
  }

  @Test
  void whereNoLimitBeginsSpentTheAdviceIsToWait() throws IOException {
    for (List<String> advice :
        List.of(
            List.of("fixed(3/1s)", "delete it no earlier than 1s after the last request"),
            List.of("warmup(2/1s, over=3s)", "delete it no earlier than 500ms after the last"),
            List.of("fixed(3/1s) & 10/1m", "delete it no earlier than 1m after the last request"),
            List.of(
                "concurrent(3, unanswered=20s)", "delete it no earlier than 20s after the last"),
            List.of("concurrent(4)", "to start over, delete it"),
            List.of("unlimited", "to start over, delete it"))) {
      String message =
          String.valueOf(
              refused(Limits.parse(advice.get(0)), "hello".getBytes(US_ASCII)).getMessage());
      assertTrue(message.contains(advice.get(1)), message);
    }
  }

  /** A nearly full disk takes a part of a write, and says that it is full at the next one. */
  @Test
  void aFullDiskIsNoticedBeforeAStore() {
    for (int room : new int[] {100, 8192, 70_000}) {
      var disk = new Disk(room);
      var full = assertThrows(IOException.class, () -> StateFile.fill(disk, 0, 80_000, disk));
      assertEquals("No space left on device", full.getMessage());
      assertEquals(room, disk.written);
    }
  }

  /** A file on a disk with room for so many bytes. */
  private static final class Disk implements SeekableByteChannel, StateFile.Mapping {
    private final int room;
    private int written;

    Disk(int room) {
      this.room = room;
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
      int taken = Math.min(bytes.remaining(), room - written);
      if (taken == 0) {
        throw new IOException("No space left on device");
      }
      bytes.position(bytes.position() + taken);
      written += taken;
      return taken;
    }

    @Override
    public SeekableByteChannel position(long position) {
      assertEquals(0, position);
      return this;
    }

    @Override
    public MappedMemory of(MappedByteBuffer bytes) {
      throw new AssertionError();
    }

    @Override
    public int read(ByteBuffer bytes) {
      throw new AssertionError();
    }

    @Override
    public long position() {
      return written;
    }

    @Override
    public long size() {
      return written;
    }

    @Override
    public SeekableByteChannel truncate(long size) {
      throw new AssertionError();
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }
}
