package dev.pacegate.cli;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Copies input to output, unchanged and in order, with a permit for each line or chunk.
 *
 * <p>There is one buffer for reading and writing. A line is admitted by its first byte, so its
 * length does not matter. Whatever has been admitted is written before the pump waits: for a
 * permit, for more input, or, if ends of permits matter, for an end.
 */
final class Pump {

  private static final int BUFFER_BYTES = 1 << 16;
  private static final long PATIENCE_MILLIS = 200;

  private final Input in;
  private final Output out;
  private final Turnstile turnstile;
  private final boolean writesEach;

  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int written; // up to where the buffer has been written
  private int admitted; // up to where it may be written
  private int filled; // up to where it has been read
  private long count;
  private volatile long shown;

  /**
   * Held unless the pump waits for input or for a permit: then all that was admitted is written.
   */
  private final ReentrantLock busy = new ReentrantLock();

  /**
   * @param writesEach whether each line or chunk must be written before its permit ends
   */
  Pump(Input in, Output out, Turnstile turnstile, boolean writesEach) {
    this.in = in;
    this.out = out;
    this.turnstile = turnstile;
    this.writesEach = writesEach;
  }

  /** Copies everything at a cost of 1 for each line. */
  void lines() throws Failure, InterruptedException {
    busy.lock();
    try {
      boolean inLine = false;
      while (fill()) {
        while (admitted < filled) {
          if (!inLine) {
            admit(1);
          }
          admitted = endOfLine();
          inLine = buffer[admitted - 1] != '\n';
          if (!inLine) {
            finish();
          }
        }
        write();
      }
      if (inLine) {
        finish();
      }
    } finally {
      busy.unlock();
    }
  }

  /** Copies everything in chunks of up to {@code largest} bytes, each costing its length. */
  void chunks(int largest) throws Failure, InterruptedException {
    busy.lock();
    try {
      while (fill()) {
        while (admitted < filled) {
          int length = Math.min(largest, filled - admitted);
          admit(length);
          admitted += length;
          finish();
        }
        write();
      }
    } finally {
      busy.unlock();
    }
  }

  /** Returns about how much cost has been admitted. */
  long count() {
    return shown;
  }

  /**
   * Stops the pump for good, if that is soon possible where nothing is half written. Called by
   * another thread when the process ends.
   *
   * @return whether the pump has stopped
   */
  boolean stop() {
    try {
      return busy.tryLock(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return false;
    }
  }

  private boolean fill() throws Failure {
    written = 0;
    admitted = 0;
    busy.unlock();
    try {
      filled = in.read(buffer, 0);
    } finally {
      busy.lock();
    }
    return filled > 0;
  }

  private void admit(long cost) throws Failure, InterruptedException {
    if (!turnstile.tryEnter(cost)) {
      write();
      busy.unlock();
      try {
        turnstile.enter(cost);
      } finally {
        busy.lock();
      }
    }
    count += cost;
  }

  private void finish() throws Failure {
    if (writesEach) {
      write();
    }
    turnstile.leave();
  }

  private void write() throws Failure {
    shown = count;
    if (admitted > written) {
      out.write(buffer, written, admitted - written);
      written = admitted;
    }
  }

  private int endOfLine() {
    byte[] bytes = buffer;
    int end = filled;
    for (int i = admitted; i < end; i++) {
      if (bytes[i] == '\n') {
        return i + 1;
      }
    }
    return end;
  }
}
