package dev.pacegate.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file grows, and the process or the machine dies meanwhile: what went is known all the same. */
class GrowthTest {

  private static final FileSize SMALL = new FileSize(16, 6);
  private static final FileSize LARGER = new FileSize(32, 12);
  private static final FileSize LARGEST = new FileSize(64, 16);
  private static final int PAGE = 4096;
  private static final Limit LIMIT = Limits.parse("3/1m");

  private final BootClock machine = new BootClock(Clock.systemUTC(), new UUID(1, 2));

  @TempDir Path folder;
  private Path path = Path.of("");

  /** What is in the file after each step, and how far it was certain to be on the disk then. */
  private final class Steps implements StateFile.Mapping {
    final List<byte[]> left = new ArrayList<>();
    final List<Integer> forced = new ArrayList<>();
    private int last;

    @Override
    public void step() {
      try {
        left.add(Files.readAllBytes(path));
        forced.add(last);
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
          last = left.size() - 1;
        }
      };
    }

    /** Each page is on the disk as it was at some step since it was last forced. */
    byte[] mixed(int step, SplittableRandom random) {
      byte[] mixed = left.get(step).clone();
      for (int page = 0; page < mixed.length; page += PAGE) {
        byte[] then = left.get(random.nextInt(forced.get(step), step + 1));
        int end = Math.min(page + PAGE, mixed.length);
        Arrays.fill(mixed, page, end, (byte) 0);
        if (page < then.length) {
          System.arraycopy(then, page, mixed, page, Math.min(end, then.length) - page);
        }
      }
      return mixed;
    }
  }

  private SavedState open(FileSize size, StateFile.Mapping mapping) throws IOException {
    return SavedState.open(path, LIMIT, machine, 0, () -> Instant.EPOCH, size, mapping);
  }

  private static int takeAll(SavedState state) {
    int taken = 0;
    while (taken < 100 && state.meter().nanosUntil(0, 0, Cost.ONE) == 0) {
      state.meter().release(0, 0, Cost.ONE);
      taken++;
    }
    return taken;
  }

  @BeforeEach
  void twoOfThreeHaveGone() throws IOException {
    path = folder.resolve("state");
    try (SavedState state = open(SMALL, MappedMemory::new)) {
      state.meter().release(0, 0, Cost.ONE);
      state.meter().release(0, 0, Cost.ONE);
    }
  }

  private void assertKnown(byte[] left, FileSize size, String when) throws IOException {
    Files.write(path, left);
    try (SavedState state = open(size, MappedMemory::new)) {
      assertEquals(1, takeAll(state), when);
    }
    try (SavedState next = open(LARGEST, MappedMemory::new)) {
      assertEquals(0, takeAll(next), when);
    }
  }

  private Steps steps(FileSize size) throws IOException {
    var steps = new Steps();
    open(size, steps).close();
    assertTrue(steps.left.size() > 15, () -> steps.left.size() + " steps");
    return steps;
  }

  @Test
  void aProcessMayDieAfterAnyStep() throws IOException {
    for (FileSize size : List.of(LARGER, LARGEST)) { // grown once, and again
      Steps steps = steps(size);
      for (int step = 0; step < steps.left.size(); step++) {
        assertKnown(steps.left.get(step), SMALL, "after step " + step);
        assertKnown(steps.left.get(step), size, "after step " + step + ", and grows");
      }
      Files.write(path, steps.left.get(steps.left.size() - 1));
    }
  }

  @Test
  void theMachineMayGoDownAfterAnyStep() throws IOException {
    var random = new SplittableRandom(1);
    for (FileSize size : List.of(LARGER, LARGEST)) {
      Steps steps = steps(size);
      for (int step = 0; step < steps.left.size(); step++) {
        assertKnown(steps.mixed(step, random), size, "after step " + step);
      }
      Files.write(path, steps.left.get(steps.left.size() - 1));
    }
  }

  @Test
  void aFullDiskLeavesTheFileAsItIs() throws IOException {
    long before = Files.size(path);
    int[] steps = {0};
    var full =
        new StateFile.Mapping() {
          @Override
          public MappedMemory of(MappedByteBuffer bytes) {
            return new MappedMemory(bytes);
          }

          @Override
          public void step() {
            if (steps[0]++ > 0) {
              throw new UncheckedIOException(new IOException("No space left on device"));
            }
          }
        };
    try (SavedState state = open(LARGER, full)) {
      assertEquals(before, Files.size(path));
      assertThrows(StateInUseException.class, () -> open(LARGER, full));
      assertEquals(1, takeAll(state));
    }
    assertKnownSpent();
  }

  @Test
  void aThreadThatIsInterruptedKeepsTheLock() throws IOException {
    Thread.currentThread().interrupt();
    try (SavedState state = open(LARGER, MappedMemory::new)) {
      assertTrue(Thread.interrupted());
      assertEquals(1, takeAll(state));
      assertTrue(Files.size(path) > SMALL.bytes());
    }
    assertKnownSpent();
  }

  private void assertKnownSpent() throws IOException {
    try (SavedState next = open(LARGER, MappedMemory::new)) {
      assertEquals(0, takeAll(next));
    }
  }
}
