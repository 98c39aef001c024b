package dev.pacegate.benchmarks.interleaved;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.benchmarks.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadingsTest {

  private static final Case FLOOR = new Case(Subject.FLOOR, true, 0);
  private static final Case GUAVA = new Case(Subject.GUAVA, false, 0);

  @TempDir Path folder;

  @Test
  void comparesWithinEachRoundOfEachFork() throws IOException {
    var readings = new Readings();
    readings.add(
        fork(
            line(FLOOR, 2_000_000, 0),
            line(GUAVA, 4_000_000, 0),
            line(GUAVA, 9_000_000, 0),
            line(FLOOR, 3_000_000, 0)));
    readings.add(fork(line(GUAVA, 5_000_000, 0), line(FLOOR, 1_000_000, 0)));
    double[][] ratios = readings.ratios(GUAVA, FLOOR);
    assertEquals(2, ratios.length);
    assertArrayEquals(new double[] {2, 3}, ratios[0]);
    assertArrayEquals(new double[] {5}, ratios[1]);
    assertEquals(5_000, readings.nanos(GUAVA));
  }

  @Test
  void forksWithASlowFloorAreLeftOut() throws IOException {
    var readings = new Readings();
    readings.add(fork(line(FLOOR, 1_050_000, 0), line(GUAVA, 2_100_000, 0)));
    readings.add(fork(line(FLOOR, 1_000_000, 0), line(GUAVA, 3_000_000, 0)));
    readings.add(fork(line(FLOOR, 1_051_000, 0), line(GUAVA, 9_000_000, 0)));
    Readings quiet = readings.quiet(FLOOR, 1.05);
    assertEquals(2, quiet.forks());
    assertArrayEquals(new double[] {2}, quiet.ratios(GUAVA, FLOOR)[0]);
    assertArrayEquals(new double[] {3}, quiet.ratios(GUAVA, FLOOR)[1]);
  }

  @Test
  void aFewBytesAreNotNone() throws IOException {
    assertEquals("0", bytes(0, 0));
    assertEquals("0", bytes(0, 1));
    assertEquals("< 1", bytes(1, 1));
    assertEquals("< 1", bytes(0, 999));
    assertEquals("1", bytes(0, 1_000));
    assertEquals("40", bytes(40_000, 40_800));
    assertEquals("41", bytes(40_500, 40_600));
  }

  /** Returns what is said of two slices of a thousand calls each. */
  private String bytes(long first, long second) throws IOException {
    var readings = new Readings();
    readings.add(fork(line(GUAVA, 1, first), line(GUAVA, 1, second)));
    return readings.bytes(GUAVA);
  }

  private static String line(Case turn, long nanos, long bytes) {
    return Readings.line(turn, new Slice(1_000, nanos, bytes));
  }

  private Path fork(String... lines) throws IOException {
    return Files.write(folder.resolve("fork.txt"), Arrays.asList(lines));
  }
}
