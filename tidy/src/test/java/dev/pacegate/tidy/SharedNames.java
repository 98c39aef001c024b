package dev.pacegate.tidy;

import com.sun.source.tree.ClassTree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * No two types of the published modules share a simple name, so a name alone tells the type. Nested
 * types count, private ones too. An entry of the list is a name and how many types have it.
 */
final class SharedNames {

  private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

  private SharedNames() {}

  static List<String> judge(Sources sources, Set<String> published, AllowList allowed) {
    var places = new TreeMap<String, List<String>>();
    for (SourceFile file : sources.java()) {
      if (file.isMain() && published.contains(file.module())) {
        new Scanner(file, places).scan(file.unit(), null);
      }
    }
    var offences = new LinkedHashMap<String, String>();
    places.forEach(
        (name, all) -> {
          if (all.size() > 1) {
            offences.put(
                name + " " + all.size(), all.get(0) + name + " is the name of " + told(all));
          }
        });
    return allowed.judge(offences);
  }

  /** Returns the folders of the modules that are published: the first list of the root's POM. */
  static Set<String> published(String pom) {
    String modules = pom.substring(pom.indexOf("<modules>"), pom.indexOf("</modules>"));
    return MODULE
        .matcher(modules)
        .results()
        .map((MatchResult match) -> match.group(1))
        .collect(Collectors.toSet());
  }

  private static String told(List<String> places) {
    return places.size()
        + " types, also "
        + String.join(" ", places.subList(1, places.size()))
        + " rename one of them";
  }

  private static final class Scanner extends TreeScanner<Void, Void> {
    private final SourceFile file;
    private final Map<String, List<String>> places;

    Scanner(SourceFile file, Map<String, List<String>> places) {
      this.file = file;
      this.places = places;
    }

    @Override
    public Void visitClass(ClassTree type, Void none) {
      String name = type.getSimpleName().toString();
      if (!name.isEmpty()) {
        places.computeIfAbsent(name, key -> new ArrayList<>()).add(file.at(type));
      }
      return super.visitClass(type, null);
    }
  }
}
