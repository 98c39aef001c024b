package dev.pacegate.feedback;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * An answer of the peer, as far as readers need it.
 *
 * @param status the status code
 * @param headers the values of each header, in order; names are found whatever their case
 * @param receivedAt when the answer came in
 */
public record Answer(int status, Map<String, List<String>> headers, Instant receivedAt) {

  /** Copies the headers, unless they are a sorted map that ignores the case already. */
  public Answer {
    requireNonNull(receivedAt);
    headers = ignoringCase(headers);
  }

  private static Map<String, List<String>> ignoringCase(Map<String, List<String>> headers) {
    if (headers instanceof NavigableMap<String, List<String>> sorted
        && String.CASE_INSENSITIVE_ORDER.equals(sorted.comparator())) {
      return headers;
    }
    Map<String, List<String>> copy = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.forEach(
        (name, values) -> {
          if (name != null) { // HttpURLConnection has the status line under null
            copy.merge(name, List.copyOf(values), Answer::concatenated);
          }
        });
    return copy;
  }

  private static List<String> concatenated(List<String> first, List<String> second) {
    var both = new ArrayList<String>(first);
    both.addAll(second);
    return both;
  }

  /** Returns all values of a header; none if it is absent. */
  public List<String> all(String header) {
    return headers.getOrDefault(requireNonNull(header), List.of());
  }

  /** Returns the names of the headers that begin with a prefix, sorted. */
  List<String> names(String prefix) {
    var sorted = (NavigableMap<String, List<String>>) headers;
    var names = new ArrayList<String>();
    String name = sorted.ceilingKey(prefix);
    while (name != null && name.regionMatches(true, 0, prefix, 0, prefix.length())) {
      names.add(name);
      name = sorted.higherKey(name);
    }
    return names;
  }

  Optional<Instant> date() {
    for (String text : all("Date")) {
      Optional<Instant> date = HeaderDates.parse(text);
      if (date.isPresent()) {
        return date;
      }
    }
    return Optional.empty();
  }
}
