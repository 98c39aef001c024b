package dev.pacegate.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Looks for what contradicts that a server loses nothing that it has acknowledged. */
final class Durability {

  private static final List<Map.Entry<String, String>> NEEDED =
      List.of(
          Map.entry("appendonly", "yes"),
          Map.entry("appendfsync", "always"),
          Map.entry("no-appendfsync-on-rewrite", "no"));

  private Durability() {}

  /**
   * Returns if nothing contradicts. A server that may not be asked for its settings is believed.
   *
   * @throws UnfitServerException if something does
   */
  static void check(ServerFacts facts, @Nullable Duration partition, Eviction eviction) {
    if (facts.mode().equals(ServerCheck.CLUSTER)) {
      throw contradiction("another server may take its place", "Take one that is in no cluster");
    }
    var has = new ArrayList<String>();
    var needs = new ArrayList<String>();
    for (Map.Entry<String, String> each : NEEDED) {
      String value = facts.setting(each.getKey());
      if (value != null && !value.equals(each.getValue())) {
        has.add(each.getKey() + " " + value);
        needs.add(each.getKey() + " " + each.getValue());
      }
    }
    if (!has.isEmpty()) {
      throw contradiction(
          "it has " + String.join(" and ", has), "Set " + String.join(" and ", needs));
    }
    if (eviction.happens()) {
      throw contradiction(
          "it evicts keys when its memory is full", "Set maxmemory-policy noeviction");
    }
    if ((partition != null && !partition.isZero()) || facts.hasReplicas()) {
      throw contradiction("another server may take its place", "Take one without replicas");
    }
  }

  private static UnfitServerException contradiction(String reason, String remedy) {
    return UnfitServerException.because(
        "durable() says that it loses nothing, but "
            + reason
            + ". "
            + remedy
            + ", or leave out durable()");
  }
}
