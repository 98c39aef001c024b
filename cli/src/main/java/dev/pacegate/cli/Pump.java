package dev.pacegate.cli;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Copies input to output, unchanged and in order, with a permit for each line or chunk.
 *
 * <p>There is one buffer for reading and writing. A line is admitted by its first byte, so its
 * length does not matter. Where a limit cannot tell them apart, several lines in the buffer share
 * one permit. Lines that are admitted together are written together, and their permits stay open
 * until that write has returned: a reader that stalls holds up the lines after them as well.
 * Whatever has been admitted is written before the pump waits for a permit or for more input.
 */
final class Pump {

  private static final int BUFFER_BYTES = 1 << 16;
  private static final long PATIENCE_MILLIS = 200;

  private final Input in;
  private final Output out;
  private final Turnstile turnstile;
  private final @Nullable Rest rest; // takes what may not go at once; null if that waits

  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int written; // up to where the buffer has been written
  private int admitted; // up to where it may be written
  private int filled; // up to where it has been read
  private boolean inLine; // whether the last line that was admitted has not been read to its end
  private int together = 1; // how many lines to ask for at once: fewer after a refusal
  private long count;
  private volatile long shown;

  /**
   * Held unless the pump waits for input or for a permit: then all that was admitted is written.
   */
  private final ReentrantLock busy = new ReentrantLock();

  Pump(Input in, Output out, Turnstile turnstile, @Nullable Rest rest) {
    this.in = in;
    this.out = out;
    this.turnstile = turnstile;
    this.rest = rest;
  }

  /** Copies everything at a cost of 1 for each line. */
  void lines() throws Failure, InterruptedException {
    busy.lock();
    try {
      while (fill()) {
        while (admitted < filled) {
          if (inLine || !admitTogether()) {
            if (!inLine && rest != null && !admitNow()) {
              leave(rest);
              return;
            } else if (!inLine && rest == null) {
              admit(1);
            }
            admitted = endOfLine();
            inLine = buffer[admitted - 1] != '\n';
          }
        }
        write();
      }
      turnstile.leave(0); // the last line need not end
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

  /** Returns what it waits for where that is no permit; null if that may be either of its files. */
  @Nullable String waitsFor() {
    if (!busy.isLocked()) {
      return "input";
    }
    return rest == null ? "the reader" : null;
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

  /** Admits several whole lines by one permit; returns whether there are some and it is free. */
  private boolean admitTogether() {
    int lines = 0;
    int end = admitted;
    while (lines < together) {
      int next = Newlines.behindNext(buffer, end, filled);
      if (next < 0) {
        break;
      }
      lines++;
      end = next;
    }
    boolean free = lines > 1 && turnstile.tryEnterTogether(lines);
    if (free) {
      admitted = end;
      count += lines;
    }
    boolean refused = lines > 1 && !free;
    together = refused ? 1 : Math.min(2 * together, turnstile.most());
    return free;
  }

  private void admit(long cost) throws Failure, InterruptedException {
    if (turnstile.isFull()) {
      write();
    }
    if (!turnstile.tryEnter(cost)) {
      write(); // which ends permits, so that another may be free
      busy.unlock();
      try {
        turnstile.enter(cost);
      } finally {
        busy.lock();
      }
    }
    count += cost;
  }

  /** Admits a line if that is possible at once, if need be when all before it are written. */
  private boolean admitNow() throws Failure {
    boolean isIn = !turnstile.isFull() && turnstile.tryEnter(1);
    if (!isIn) {
      write();
      isIn = turnstile.tryEnter(1);
    }
    count += isIn ? 1 : 0;
    return isIn;
  }

  private void leave(Rest rest) throws Failure {
    do {
      rest.add(buffer, admitted, filled);
    } while (fill());
  }

  private void write() throws Failure {
    shown = count;
    if (admitted > written) {
      out.write(buffer, written, admitted - written);
      written = admitted;
    }
    turnstile.leave(inLine ? 1 : 0);
  }

  private int endOfLine() {
    int end = Newlines.behindNext(buffer, admitted, filled);
    return end < 0 ? filled : end;
  }
}
