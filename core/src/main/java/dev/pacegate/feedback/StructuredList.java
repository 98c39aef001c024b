package dev.pacegate.feedback;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Parses the part of structured fields (RFC 9651) that limits are written in: a list of names or
 * numbers with parameters, {@code "burst";q=100;w=60, "daily";q=1000}. Unparsable members are left
 * out.
 */
final class StructuredList {

  /** A member of the list. */
  record Item(String name, Map<String, String> parameters) {

    Optional<Long> amount(String parameter) {
      return Optional.ofNullable(parameters.get(parameter)).flatMap(HeaderValues::amount);
    }
  }

  /** The most members that are read; a real header has far fewer. */
  private static final int MOST = 100;

  private StructuredList() {}

  static List<Item> parse(List<String> lines) {
    var items = new ArrayList<Item>();
    for (String line : lines) {
      for (String member : split(line, ',')) {
        List<String> parts = split(member, ';');
        String name = unquoted(parts.get(0));
        if (!name.isEmpty() && items.size() < MOST) {
          items.add(new Item(name, parameters(parts.subList(1, parts.size()))));
        }
      }
    }
    return items;
  }

  /** Parses a dictionary, {@code limit=10, remaining=3}; members without a value are left out. */
  static Map<String, String> dictionary(String line) {
    List<String> members =
        split(line, ',').stream()
            .limit(MOST)
            .map(member -> split(member, ';').get(0))
            .filter(member -> member.indexOf('=') > 0)
            .toList();
    return parameters(members);
  }

  private static Map<String, String> parameters(List<String> parts) {
    var parameters = new LinkedHashMap<String, String>();
    for (String part : parts) {
      int equals = part.indexOf('=');
      String key = (equals < 0 ? part : part.substring(0, equals)).trim();
      String value = equals < 0 ? "" : unquoted(part.substring(equals + 1));
      parameters.put(key.toLowerCase(Locale.ROOT), value); // of doubles the last one counts
    }
    return parameters;
  }

  /** Splits at {@code separator}, but not within quotes. */
  private static List<String> split(String text, char separator) {
    var parts = new ArrayList<String>();
    boolean quoted = false;
    int start = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quoted && c == '\\') {
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == separator && !quoted) {
        parts.add(text.substring(start, i));
        start = i + 1;
      }
    }
    parts.add(text.substring(start));
    return parts;
  }

  private static String unquoted(String text) {
    String trimmed = text.trim();
    boolean quoted = trimmed.length() > 1 && trimmed.startsWith("\"") && trimmed.endsWith("\"");
    return quoted
        ? trimmed.substring(1, trimmed.length() - 1).replaceAll("\\\\(.)", "$1")
        : trimmed;
  }
}
