package dev.pacegate.reactive;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One element, which is requested when it may go, so it is never held. */
final class Sample<T> implements Buffer<T, T> {

  private final AtomicReference<@Nullable T> held = new AtomicReference<>();
  private volatile boolean asked; // since the last was taken

  @Override
  public void add(T element) {
    if (!asked || held.getAndSet(element) != null) {
      throw Stage.unrequested();
    }
  }

  @Override
  public long wants(boolean permitted) {
    if (!permitted || asked) {
      return 0;
    }
    asked = true;
    return 1;
  }

  @Override
  public boolean isEmpty() {
    return held.get() == null;
  }

  @Override
  public boolean isReady(boolean last) {
    return true;
  }

  @Override
  public @Nullable T take() {
    T taken = held.getAndSet(null);
    if (taken != null) {
      asked = false;
    }
    return taken;
  }

  @Override
  public void discard() {
    held.set(null);
  }
}
