package dev.pacegate.model;

/**
 * One atomic step of a run.
 *
 * @param action what is done
 * @param thread who does it, or whom it happens to
 * @param target whom it concerns: the thread unparked; otherwise the thread itself
 */
record Step(Action action, int thread, int target) {

  /** The kinds of step. */
  enum Action {
    TICK("the clock ticks"),
    SEE_FREE("%s sees the gate free"),
    ENTER("%s enters the gate"),
    DECIDE("%s decides"),
    LEAVE("%s leaves the gate"),
    UNPARK("%s unparks %s"),
    PARK("%s parks"),
    WAKE("%s wakes, unparked"),
    WAKE_IN_TIME("%s wakes, its time has come"),
    WAKE_FOR_NOTHING("%s wakes for no reason"),
    INTERRUPT("%s is interrupted"),
    TIME_OUT("%s runs out of time"),
    DIE("%s dies"),
    RING("the alarm rings"),
    REVOKE("the source takes its permits back"),
    STUMBLE("news are going to fail"),
    EXPIRE("the permits end");

    private final String text;

    Action(String text) {
      this.text = text;
    }
  }

  static Step of(Action action, int thread) {
    return new Step(action, thread, thread);
  }

  @Override
  public String toString() {
    return String.format(action.text, ModelState.name(thread), ModelState.name(target));
  }
}
