package dev.pacegate;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A limiter's state, all of it as of one instant: an immutable value.
 *
 * <p>Only limiters create snapshots; a later version may add methods.
 */
public interface Snapshot {

  /** Returns the limiter's name. */
  String name();

  /** Returns the limit in force. */
  Limit limit();

  /** Returns how many requests were granted a permit. */
  long granted();

  /**
   * Returns how many units they cost in all, as they stated when they were granted: the sum of
   * their plain costs, {@link Long#MAX_VALUE} at most. A correction by {@link Permit#settle} does
   * not change it.
   */
  long grantedUnits();

  /** Returns how many requests were refused at once. */
  long refused();

  /** Returns how many waiters left the queue without a permit. */
  long cancelled();

  /** Returns how many requests granted in dry-run mode would have waited or been refused. */
  long wouldHaveWaited();

  /** Returns how many granted requests were sent late: see {@link Limiter.Builder#late}. */
  long late();

  /**
   * Returns how many permits ended as lost: closed without an outcome, ended by a failure of which
   * nothing is known, or never ended by the program.
   */
  long lost();

  /**
   * Returns how many units of {@link #limit} lost requests spend at this moment; of a limit of
   * several terms, of the one for which a request would wait longest. Only time gives them back.
   */
  long spentByLost();

  /** Returns how many granted requests the peer is known to have refused. */
  long refusedByPeer();

  /** Returns how many units the peer is known to have counted beyond those granted here. */
  long takenByOthers();

  /**
   * Returns the rate at which requests go evenly, in units a second, since the peer has refused
   * requests: less than the limit's or, for some intervals before it ends, the same. Empty if only
   * the limit is in force.
   */
  OptionalDouble workingRate();

  /** Returns how many requests wait now. */
  int waiting();

  /** Returns how long the one of them has waited that came first; zero if none waits. */
  Duration oldestWait();

  /** Returns how many permits are open now, if the limit holds permits until they end. */
  int open();

  /** Returns how long the oldest of them has been open; zero if none is. */
  Duration oldestOpen();

  /** Returns whether the limiter is paused. */
  boolean paused();

  /**
   * Returns why the {@linkplain Limiter.Builder#source source} of its permits gives none now, so
   * that requests wait or are refused; empty if it gives some, or does not know. Of a limiter for
   * all keys also why their source gives none to the key of which it has told something last.
   */
  Optional<String> unavailable();

  /**
   * Returns whether the source of its permits fails, such as a store that does not answer. False
   * while the source is well and {@linkplain #unavailable grants none} for now, such as behind a
   * fence, or because all processes are paused.
   */
  boolean sourceFails();

  /** Returns how long granted requests waited; in dry-run mode, would have waited. */
  WaitHistogram waits();

  /** Returns the most counted at once so far, for each promise of the limit in force. */
  List<Most> most();

  /** The most that was counted at once for one promise. */
  interface Most {

    /** Returns the promise. */
    Promise promise();

    /** Returns the most units so far in any interval of the promise, out of a burst, or open. */
    long count();
  }
}
