package dev.pacegate.adapter;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Which bodies have no end to wait for. */
final class EventStreams {

  private static final Set<String> TYPES =
      Set.of("text/event-stream", "application/x-ndjson", "application/stream+json");

  private EventStreams() {}

  static boolean isOne(Map<String, List<String>> headers) {
    return headers.entrySet().stream()
        .filter(header -> "content-type".equalsIgnoreCase(header.getKey()))
        .flatMap(header -> header.getValue().stream())
        .anyMatch(type -> TYPES.contains(type.split(";", 2)[0].trim().toLowerCase(Locale.ROOT)));
  }
}
