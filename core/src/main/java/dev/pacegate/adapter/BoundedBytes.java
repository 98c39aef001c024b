package dev.pacegate.adapter;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes that are kept up to a bound: of what is longer only the beginning is kept. */
final class BoundedBytes {

  private final int most;
  private byte[] bytes = new byte[256];
  private int size;
  private boolean cut;

  BoundedBytes(int most) {
    this.most = most;
  }

  void add(byte each) {
    if (size == most) {
      cut = true;
      return;
    }
    if (size == bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.min(most, 2 * size));
    }
    bytes[size++] = each;
  }

  /** Adds those of {@code other} from an index on. */
  void add(BoundedBytes other, int from) {
    for (int i = from; i < other.size; i++) {
      add(other.bytes[i]);
    }
    cut |= other.cut;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Whether more was added than is kept. */
  boolean isCut() {
    return cut;
  }

  int size() {
    return size;
  }

  byte at(int index) {
    return bytes[index];
  }

  boolean startsWith(byte[] start, int from) {
    int end = from + start.length;
    return size >= end && Arrays.equals(bytes, from, end, start, 0, start.length);
  }

  String text() {
    return new String(bytes, 0, size, StandardCharsets.UTF_8);
  }

  void clear() {
    size = 0;
    cut = false;
  }
}
