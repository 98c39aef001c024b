package dev.pacegate.feedback;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How the names of some headers begin, whatever their case: most answers have none of them. */
final class NameBeginnings {

  private final Map<Character, List<String>> byFirst = new HashMap<>();

  NameBeginnings(Collection<String> beginnings) {
    for (String beginning : beginnings) {
      byFirst.computeIfAbsent(first(beginning), first -> new ArrayList<>()).add(beginning);
    }
  }

  /** Returns whether one of {@code names} begins so. */
  boolean isAmong(Iterable<String> names) {
    for (String name : names) {
      if (!name.isEmpty() && begins(name)) {
        return true;
      }
    }
    return false;
  }

  private boolean begins(String name) {
    for (String beginning : byFirst.getOrDefault(first(name), List.of())) {
      if (name.regionMatches(true, 0, beginning, 0, beginning.length())) {
        return true;
      }
    }
    return false;
  }

  private static char first(String name) {
    return Character.toLowerCase(name.charAt(0));
  }
}
