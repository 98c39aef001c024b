package dev.pacegate.proxy;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** How many requests wait for a permit, in all and of each address. Confined to the event loop. */
final class ClientWaits {

  private final int most;
  private final int mostOfOne;
  private int all;
  private final Map<String, Integer> waiting = new HashMap<>();

  ClientWaits(int most, int mostOfOne) {
    this.most = most;
    this.mostOfOne = mostOfOne;
  }

  /** Returns why one more may not wait; if it may, {@link #leave} follows. */
  Optional<String> enter(String client) {
    int ofOne = waiting.getOrDefault(client, 0);
    if (all >= most) {
      return Optional.of("too many requests wait");
    }
    if (ofOne >= mostOfOne) {
      return Optional.of("too many requests of this client wait");
    }
    all++;
    waiting.put(client, ofOne + 1);
    return Optional.empty();
  }

  void leave(String client) {
    all--;
    waiting.computeIfPresent(client, (same, count) -> count == 1 ? null : count - 1);
  }
}
