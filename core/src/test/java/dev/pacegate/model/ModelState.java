package dev.pacegate.model;

import java.util.Arrays;

/**
 * One state: where every thread is and what it wants, the gate word, the queue and the meter.
 *
 * <p>A state packs into two longs, {@link #threadKey} and {@link #sharedKey}, and is read back from
 * them. Instants are kept as ages or as ticks to go, so that the clock needs no origin and the
 * number of states is finite.
 *
 * <p>Two accounts are kept of what was spent. {@link #recorded} and {@link #open} are the meter's,
 * written by the protocol. {@link #actual} and the threads that hold a permit are the truth the
 * properties are judged by; the protocol never reads them.
 */
final class ModelState {

  /** Where a thread is. */
  enum Place {
    /** Not in the gate: on its way to it, holding a permit, or done. */
    OUTSIDE,
    /** Has read the word as free and not written it yet: only without compare-and-set. */
    TORN,
    /** In the gate, nothing decided yet. */
    INSIDE,
    /** In the gate, decided, the word still held. */
    LEAVING,
    /** Out of the gate, with threads left to unpark. */
    WAKING,
    /** About to call {@code park}. */
    PARKING,
    /** Blocked in {@code park}. */
    PARKED,
    /** Ended by an error, and still in the queue. */
    DEAD
  }

  /** What a thread wants of the gate, or will want when it comes back. */
  enum Errand {
    /** Nothing more. */
    NONE,
    /** A permit, by the slow path. */
    ARRIVE,
    /** A permit, having found the gate free. */
    RUSH,
    /** To see, as a waiter, whether it may go. */
    LOOK,
    /** To take its permit, if it is still called, having woken others. */
    TAKE,
    /** To see this once more, and otherwise to leave the queue. */
    LATE,
    /** To leave the queue. */
    QUIT,
    /** To close its permit; until then it holds one. */
    CLOSE,
    /** To pause the limiter. */
    PAUSE,
    /** To resume it; until then it is paused. */
    RESUME,
    /** To tell of a permit that the source was asked for. */
    TELL,
    /** To tell news that fail. */
    STUMBLE,
    /** To tell that there are no permits any more. */
    REVOKE
  }

  /** A wait that only an event can end. */
  static final int EVENT = 7;

  /** The bits of the gate word. */
  static final int FREE = 0;

  static final int HELD = 1;
  static final int SLOW = 2;

  private static final String[] WORDS = {"FREE", "HELD", "SLOW", "HELD+SLOW"};

  /** The pauser comes after the last caller. */
  static final int PAUSER = Scenario.MAX_THREADS;

  private static final int ACTORS = Scenario.MAX_THREADS + 1;
  private static final int NO_THREAD = 7;
  private static final Place[] PLACES = Place.values();
  private static final Errand[] ERRANDS = Errand.values();

  // Per thread, the pauser included.

  final Place[] place = new Place[ACTORS];
  final Errand[] errand = new Errand[ACTORS];

  /** The set of threads it has yet to unpark. */
  final int[] duties = new int[ACTORS];

  /** The age of its clock reading, 0 while it is to read the clock inside the gate. */
  final int[] reading = new int[ACTORS];

  // Per caller.

  /** The acquires not yet over. */
  final int[] left = new int[Scenario.MAX_THREADS];

  /** The ticks until its park ends by itself, or EVENT. */
  final int[] until = new int[Scenario.MAX_THREADS];

  /** The set of those that have a park token. */
  int tokens;

  /** The set of those that wait and are called. */
  int called;

  // Shared.

  /** The gate: FREE, HELD, SLOW or HELD with SLOW. */
  int word;

  /** The waiters, first to last, then NO_THREAD. */
  final int[] line = new int[Scenario.MAX_THREADS];

  /** The cost of the called, as the protocol accounts for it. */
  int calledSum;

  /** The cost stamped, by the age of the stamp in ticks, as the meter has it. */
  final int[] recorded = new int[Scenario.MAX_INTERVAL];

  /** The same as it really was. */
  final int[] actual = new int[Scenario.MAX_INTERVAL];

  /** The cost open, as the meter has it. */
  int open;

  /** Spurious returns left. */
  int spurious;

  /** Ticks so far, if the scenario has an edge, up to 2. */
  int ticks;

  /** Whether a thread has died, or failed to wake those it called. */
  boolean died;

  /** Whether the next visit has to repair what that left undone. */
  boolean needsRepair;

  /** Whether the alarm is set. */
  boolean armed;

  /** Where a limit that is fed, and so has no stamps, keeps its permits. */
  static final int FED = 0;

  /** Where it keeps in {@link #actual} how often permits may yet get lost. */
  static final int MISHAPS = 1;

  private ModelState() {}

  /** Everybody on its way to a free gate. */
  static ModelState first(Scenario scenario) {
    ModelState s = new ModelState();
    if (scenario.has(Scenario.Option.FED)) {
      s.word = SLOW;
      s.actual[MISHAPS] = scenario.mayLosePermits() ? 1 : 0;
    }
    Arrays.fill(s.place, Place.OUTSIDE);
    Arrays.fill(s.errand, Errand.NONE);
    Arrays.fill(s.line, NO_THREAD);
    Arrays.fill(s.until, EVENT);
    Arrays.fill(s.errand, 0, scenario.costs().size(), Errand.ARRIVE);
    Arrays.fill(s.left, 0, scenario.costs().size(), scenario.acquires());
    s.errand[PAUSER] = scenario.has(Scenario.Option.PAUSE) ? Errand.PAUSE : Errand.NONE;
    s.spurious = scenario.has(Scenario.Option.SPURIOUS) ? 2 : 0;
    return s;
  }

  static String name(int thread) {
    return thread == PAUSER ? "pauser" : String.valueOf((char) ('A' + thread));
  }

  // Questions.

  boolean isHeld() {
    return (word & HELD) != 0;
  }

  boolean isInGate(int t) {
    return place[t] == Place.INSIDE || place[t] == Place.LEAVING;
  }

  boolean isDone(int t) {
    return (place[t] == Place.OUTSIDE && errand[t] == Errand.NONE) || place[t] == Place.DEAD;
  }

  boolean isPaused() {
    return errand[PAUSER] == Errand.RESUME;
  }

  boolean hasToken(int t) {
    return (tokens & 1 << t) != 0;
  }

  boolean isCalled(int t) {
    return (called & 1 << t) != 0;
  }

  /** Returns whether {@code t} sleeps, or is to sleep, until an instant yet to come. */
  boolean isTimed(int t) {
    return until[t] > 0 && until[t] != EVENT;
  }

  boolean isLineEmpty() {
    return line[0] == NO_THREAD;
  }

  /** The number of waiters ahead of {@code t}, or in the whole line if it is not in it. */
  int ahead(int t) {
    int i = 0;
    while (i < line.length && line[i] != NO_THREAD && line[i] != t) {
      i++;
    }
    return i;
  }

  /** The first waiter not yet called, or -1. */
  int watch() {
    for (int t : line) {
      if (t == NO_THREAD) {
        break;
      }
      if (!isCalled(t)) {
        return t;
      }
    }
    return -1;
  }

  // Changes.

  void append(int t) {
    line[ahead(t)] = t;
  }

  void remove(int t) {
    int i = ahead(t);
    System.arraycopy(line, i + 1, line, i, line.length - i - 1);
    line[line.length - 1] = NO_THREAD;
    called &= ~(1 << t);
    until[t] = EVENT;
  }

  // Packing: both keys are written and read in one order, first field lowest.

  @SuppressWarnings("EnumOrdinal") // a key lives no longer than the enum
  long threadKey() {
    Packer out = new Packer();
    for (int i = 0; i < ACTORS; i++) {
      out.add(place[i].ordinal(), 3).add(errand[i].ordinal(), 4).add(duties[i], 4);
    }
    return out.add(tokens, 4).add(called, 4).key;
  }

  long sharedKey() {
    Packer out = new Packer();
    for (int i = 0; i < Scenario.MAX_THREADS; i++) {
      out.add(left[i], 2).add(until[i], 3).add(reading[i], 2).add(line[i], 3);
    }
    for (int age = 0; age < Scenario.MAX_INTERVAL; age++) {
      out.add(recorded[age], 2).add(actual[age], 2);
    }
    return out.add(word, 2)
        .add(calledSum, 4)
        .add(open, 3)
        .add(spurious, 2)
        .add(ticks, 2)
        .add(flags(), 3)
        .key;
  }

  private int flags() {
    return (died ? 1 : 0) + (needsRepair ? 2 : 0) + (armed ? 4 : 0);
  }

  static ModelState of(long threadKey, long sharedKey) {
    ModelState s = new ModelState();
    Unpacker in = new Unpacker(threadKey);
    for (int i = 0; i < ACTORS; i++) {
      s.place[i] = PLACES[in.next(3)];
      s.errand[i] = ERRANDS[in.next(4)];
      s.duties[i] = in.next(4);
    }
    s.tokens = in.next(4);
    s.called = in.next(4);
    in = new Unpacker(sharedKey);
    for (int i = 0; i < Scenario.MAX_THREADS; i++) {
      s.left[i] = in.next(2);
      s.until[i] = in.next(3);
      s.reading[i] = in.next(2);
      s.line[i] = in.next(3);
    }
    for (int age = 0; age < Scenario.MAX_INTERVAL; age++) {
      s.recorded[age] = in.next(2);
      s.actual[age] = in.next(2);
    }
    s.word = in.next(2);
    s.calledSum = in.next(4);
    s.open = in.next(3);
    s.spurious = in.next(2);
    s.ticks = in.next(2);
    int flags = in.next(3);
    s.died = (flags & 1) != 0;
    s.needsRepair = (flags & 2) != 0;
    s.armed = (flags & 4) != 0;
    return s;
  }

  private static final class Packer {
    private long key;
    private int used;

    Packer add(int value, int width) {
      if (value >>> width != 0 || used + width > Long.SIZE) {
        throw new IllegalStateException(value + " does not fit " + width + " bits at " + used);
      }
      key |= (long) value << used;
      used += width;
      return this;
    }
  }

  private static final class Unpacker {
    private long rest;

    Unpacker(long key) {
      rest = key;
    }

    int next(int width) {
      int value = (int) rest & (1 << width) - 1;
      rest >>>= width;
      return value;
    }
  }

  /** For traces: a called waiter is marked with !, one that knows a time with @ and the ticks. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(WORDS[word]).append(isPaused() ? " paused" : "").append(" line [");
    for (int i = 0; i < ahead(NO_THREAD); i++) {
      int t = line[i];
      text.append(i > 0 ? " " : "").append(name(t)).append(isCalled(t) ? "!" : "");
      text.append(until[t] == EVENT ? "" : "@" + until[t]);
    }
    text.append("] called ").append(calledSum).append(" open ").append(open);
    text.append(" stamps ").append(Arrays.toString(recorded));
    for (int t = 0; t < Scenario.MAX_THREADS; t++) {
      text.append(hasToken(t) ? " token of " + name(t) : "");
    }
    return text.toString();
  }
}
