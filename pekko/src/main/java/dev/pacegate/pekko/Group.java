package dev.pacegate.pekko;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The elements of the next batch, and the element that did not fit and begins the batch after it.
 */
final class Group<T> {

  private final int maxCount;
  private final long maxWeight;
  private List<T> elements = new ArrayList<>();
  private long weight; // more than maxWeight only with a single element
  private @Nullable T next;
  private long nextWeight;

  Group(int maxCount, long maxWeight) {
    this.maxCount = maxCount;
    this.maxWeight = maxWeight;
  }

  /** Adds an element. Call it only while the group is {@link #isOpen}. */
  void add(T element, long itsWeight) {
    if (elements.isEmpty() || itsWeight <= maxWeight - weight) {
      elements.add(element);
      weight += itsWeight;
    } else {
      next = element;
      nextWeight = itsWeight;
    }
  }

  /** Returns whether another element can be taken in. An element of weight 0 always fits. */
  boolean isOpen() {
    return next == null && elements.size() < maxCount;
  }

  /** Returns whether there is nothing to wait for. */
  boolean isFull() {
    return next != null || elements.size() >= maxCount || weight >= maxWeight;
  }

  boolean isEmpty() {
    return elements.isEmpty();
  }

  /** Takes out the batch, and begins another. */
  List<T> take() {
    List<T> batch = Collections.unmodifiableList(elements);
    clear();
    if (next != null) {
      T first = next;
      next = null;
      add(first, nextWeight);
    }
    return batch;
  }

  /** Drops the elements of the batch. */
  void clear() {
    elements = new ArrayList<>();
    weight = 0;
  }
}
