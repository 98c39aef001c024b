package dev.pacegate.time;

import java.util.function.Consumer;

/** What tests do with a wheel. */
final class Wheels {

  private Wheels() {}

  static <T> TimerWheel.Entry<T> add(TimerWheel<T> wheel, long deadline, T task) {
    var entry = new TimerWheel.Entry<>(task);
    wheel.add(deadline, entry);
    return entry;
  }

  /** Hands everything that is due by {@code now} to {@code sink}, as a timer's thread does. */
  static <T> void expire(TimerWheel<T> wheel, long now, Consumer<? super T> sink) {
    for (T task = wheel.poll(now); task != null; task = wheel.poll(now)) {
      sink.accept(task);
    }
  }
}
