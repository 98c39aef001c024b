package dev.pacegate.adapter;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What the headers of a response say about its body.
 *
 * @param type its media type without parameters, in lower case; empty if none is given
 * @param encoding by which it is compressed, in lower case; empty if none is given
 */
record BodyHeaders(String type, String encoding) {

  private static final String SERVER_SENT_EVENTS = "text/event-stream";
  private static final Set<String> STREAMS =
      Set.of(SERVER_SENT_EVENTS, "application/x-ndjson", "application/stream+json");
  private static final Set<String> GZIP = Set.of("gzip", "x-gzip");

  static BodyHeaders of(Map<String, List<String>> headers) {
    String type = first(headers, "content-type");
    int parameters = type.indexOf(';');
    String bare = parameters < 0 ? type : type.substring(0, parameters);
    return new BodyHeaders(bare.trim(), first(headers, "content-encoding"));
  }

  private static String first(Map<String, List<String>> headers, String name) {
    for (Map.Entry<String, List<String>> header : headers.entrySet()) {
      if (name.equalsIgnoreCase(header.getKey()) && !header.getValue().isEmpty()) {
        return header.getValue().get(0).trim().toLowerCase(Locale.ROOT);
      }
    }
    return "";
  }

  /** Whether the body is a stream of events or lines, which may have no end to wait for. */
  boolean isStream() {
    return STREAMS.contains(type);
  }

  boolean isServerSentEvents() {
    return type.equals(SERVER_SENT_EVENTS);
  }

  boolean isGzip() {
    return GZIP.contains(encoding);
  }

  boolean isPlain() {
    return encoding.isEmpty() || encoding.equals("identity");
  }
}
