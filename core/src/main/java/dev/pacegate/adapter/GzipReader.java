package dev.pacegate.adapter;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** Decodes gzip (RFC 1952) part by part, as it comes. What follows a broken part is not read. */
final class GzipReader {

  private static final int FLAGS_AT = 3;
  private static final int HEADER_CRC = 1 << 1;
  private static final int EXTRA = 1 << 2;
  private static final int NAME = 1 << 3;
  private static final int COMMENT = 1 << 4;

  private enum Part {
    FIXED,
    EXTRA_LENGTH,
    EXTRA,
    TEXT, // ends with a zero
    HEADER_CRC,
    DATA,
    OVER
  }

  private final Consumer<ByteBuffer> decoded;
  private final Inflater inflater = new Inflater(true);
  private final byte[] output = new byte[8 * 1024];
  private final Deque<Part> ahead = new ArrayDeque<>(); // of the header
  private Part part = Part.FIXED;
  private int at; // in this part
  private int flags;
  private int extra; // its length

  GzipReader(Consumer<ByteBuffer> decoded) {
    this.decoded = decoded;
  }

  /** Reads bytes without moving the buffer's position. */
  void read(ByteBuffer bytes) {
    ByteBuffer rest = bytes.duplicate();
    while (rest.hasRemaining() && part != Part.DATA && part != Part.OVER) {
      header(rest.get() & 0xff);
    }
    if (rest.hasRemaining() && part == Part.DATA) {
      inflate(rest);
    }
  }

  private void header(int next) {
    int read = ++at;
    switch (part) {
      case FIXED -> fixed(read, next);
      case EXTRA_LENGTH -> extraLength(read, next);
      case EXTRA -> endIf(read == extra);
      case TEXT -> endIf(next == 0);
      default -> endIf(read == 2);
    }
  }

  private void fixed(int read, int next) {
    if (read == FLAGS_AT + 1) {
      flags = next;
    }
    if (read == 10) {
      expect(EXTRA, Part.EXTRA_LENGTH);
      expect(EXTRA, Part.EXTRA);
      expect(NAME, Part.TEXT);
      expect(COMMENT, Part.TEXT);
      expect(HEADER_CRC, Part.HEADER_CRC);
    }
    endIf(read == 10);
  }

  private void expect(int flag, Part next) {
    if ((flags & flag) != 0) {
      ahead.add(next);
    }
  }

  private void extraLength(int read, int next) {
    extra |= next << (8 * (read - 1));
    if (read == 2 && extra == 0) {
      ahead.remove();
    }
    endIf(read == 2);
  }

  private void endIf(boolean ended) {
    if (ended) {
      at = 0;
      part = ahead.isEmpty() ? Part.DATA : ahead.remove();
    }
  }

  private void inflate(ByteBuffer rest) {
    try {
      inflater.setInput(rest);
      int length = inflater.inflate(output);
      while (length > 0) {
        decoded.accept(ByteBuffer.wrap(output, 0, length));
        length = inflater.inflate(output);
      }
      if (inflater.finished() || inflater.needsDictionary()) {
        over();
      }
    } catch (DataFormatException broken) {
      over();
    }
  }

  private void over() {
    part = Part.OVER;
    inflater.end();
  }
}
