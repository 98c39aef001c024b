package dev.pacegate.adapter;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;

/** Gzip that comes in parts. */
class GzipReaderTest {

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  GzipReaderTest() {
    System.out.println("seed " + seed);
  }

  /** Compresses with every part that a header may have, as {@code flags} tell. */
  private byte[] gzip(byte[] data, int flags) throws IOException {
    var out = new ByteArrayOutputStream();
    out.write(new byte[] {0x1f, (byte) 0x8b, 8, (byte) flags, 1, 2, 3, 4, 5, 6});
    if ((flags & 4) != 0) {
      int length = random.nextBoolean() ? 0 : random.nextInt(600);
      out.write(new byte[] {(byte) length, (byte) (length >> 8)});
      out.write(new byte[length]);
    }
    for (int flag : new int[] {8, 16}) {
      if ((flags & flag) != 0) {
        out.write(new byte[] {1, 2, 3}, 0, random.nextInt(4));
        out.write(0);
      }
    }
    if ((flags & 2) != 0) {
      out.write(new byte[2]);
    }
    try (OutputStream body =
        new DeflaterOutputStream(out, new Deflater(Deflater.DEFAULT_COMPRESSION, true))) {
      body.write(data);
    }
    out.write(new byte[8]); // check sum and length, which are not read
    return out.toByteArray();
  }

  private byte[] random(int length) {
    byte[] data = new byte[length];
    for (int i = 0; i < length; i++) {
      data[i] = (byte) ('a' + random.nextInt(3));
    }
    return data;
  }

  /** Reads it in random parts. */
  private byte[] read(byte[] gzip) {
    var out = new ByteArrayOutputStream();
    var reader =
        new GzipReader(
            part -> {
              byte[] bytes = new byte[part.remaining()];
              part.duplicate().get(bytes);
              out.writeBytes(bytes);
            });
    int most = random.nextBoolean() ? 3 : 5_000;
    for (int from = 0; from < gzip.length; ) {
      int to = Math.min(gzip.length, from + random.nextInt(most));
      var part = ByteBuffer.wrap(gzip, from, to - from);
      reader.read(part);
      assertEquals(from, part.position());
      from = to;
    }
    return out.toByteArray();
  }

  @Test
  void anyPartsGiveTheWhole() throws IOException {
    for (int i = 0; i < 100; i++) {
      byte[] data = random(random.nextInt(i % 10 == 0 ? 30_000 : 200));
      int flags = random.nextInt(32);
      assertArrayEquals(data, read(gzip(data, flags)), () -> "flags " + flags);
    }
  }

  @Test
  void severalMembersGiveOneWhole() throws IOException {
    for (int i = 0; i < 30; i++) {
      var data = new ByteArrayOutputStream();
      var gzip = new ByteArrayOutputStream();
      for (int members = 1 + random.nextInt(4); members > 0; members--) {
        byte[] next = random(random.nextInt(200));
        data.writeBytes(next);
        gzip.writeBytes(gzip(next, random.nextInt(32)));
      }
      assertArrayEquals(data.toByteArray(), read(gzip.toByteArray()));
    }
  }

  @Test
  void aMemberIsCompleteAtItsLastByteUntilAnotherBegins() throws IOException {
    byte[] gzip = gzip(random(100), random.nextInt(32));
    var reader = new GzipReader(part -> {});
    for (int i = 0; i < 2 * gzip.length; i++) {
      reader.read(ByteBuffer.wrap(gzip, i % gzip.length, 1));
      assertEquals((i + 1) % gzip.length == 0, reader.isComplete(), "at " + i);
    }
    reader.read(ByteBuffer.wrap(new byte[] {0, 0}));
    assertFalse(reader.isComplete());
  }

  @Test
  void aBrokenPartEndsTheReading() throws IOException {
    byte[] data = random(5_000);
    for (int i = 0; i < 10; i++) {
      byte[] broken = gzip(data, 0);
      int at = 10 + random.nextInt(broken.length - 18);
      random.nextBytes(broken);
      byte[] intact = gzip(data, 0);
      System.arraycopy(intact, 0, broken, 0, at);
      byte[] read = read(broken);
      assertTrue(read.length < 6_000_000);
    }
    byte[] zeros = gzip(data, 0);
    Arrays.fill(zeros, 10, zeros.length, (byte) 0xff);
    assertEquals(0, read(zeros).length);
  }
}
