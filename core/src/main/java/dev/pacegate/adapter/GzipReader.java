package dev.pacegate.adapter;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Decodes gzip (RFC 1952) part by part, as it comes: one member or several. What follows a broken
 * part is not read.
 */
final class GzipReader {

  private static final int MAGIC = 0x1f8b;
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
    TRAILER, // checksum and length
    BROKEN
  }

  private final Consumer<ByteBuffer> decoded;
  private final byte[] output = new byte[8 * 1024];
  private final Deque<Part> ahead = new ArrayDeque<>(); // of the header
  private @Nullable Inflater inflater; // null outside of data
  private Part part = Part.FIXED;
  private int at; // in this part
  private int flags;
  private int extra; // its length
  private boolean complete;

  GzipReader(Consumer<ByteBuffer> decoded) {
    this.decoded = decoded;
  }

  /** Reads bytes without moving the buffer's position. */
  void read(ByteBuffer bytes) {
    ByteBuffer rest = bytes.duplicate();
    while (rest.hasRemaining() && part != Part.BROKEN) {
      if (part == Part.DATA) {
        inflate(rest);
      } else {
        header(rest.get() & 0xff);
      }
    }
  }

  /** Whether a member has been read to its end, and nothing after it. */
  boolean isComplete() {
    return complete;
  }

  private void header(int next) {
    int read = ++at;
    switch (part) {
      case FIXED -> fixed(read, next);
      case EXTRA_LENGTH -> extraLength(read, next);
      case EXTRA -> endIf(read == extra);
      case TEXT -> endIf(next == 0);
      case TRAILER -> trailer(read);
      default -> endIf(read == 2);
    }
  }

  private void fixed(int read, int next) {
    complete = false;
    if (read <= 2 && next != (MAGIC >> (16 - 8 * read) & 0xff)) {
      part = Part.BROKEN;
      return;
    }
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
    Inflater current = inflater == null ? new Inflater(true) : inflater;
    inflater = current;
    try {
      current.setInput(rest);
      int length = current.inflate(output);
      while (length > 0) {
        decoded.accept(ByteBuffer.wrap(output, 0, length));
        length = current.inflate(output);
      }
      if (current.finished()) {
        endData(Part.TRAILER);
      } else if (rest.hasRemaining()) {
        endData(Part.BROKEN);
      }
    } catch (DataFormatException broken) {
      endData(Part.BROKEN);
    }
  }

  private void endData(Part next) {
    if (inflater != null) {
      inflater.end();
      inflater = null;
    }
    part = next;
  }

  /** Another member may follow. */
  private void trailer(int read) {
    if (read == 8) {
      complete = true;
      extra = 0;
      at = 0;
      part = Part.FIXED;
    }
  }
}
