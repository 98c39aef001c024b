package dev.pacegate.tidy;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Each file is named by another one: a type by code, a page, picture, resource or script by any.
 */
final class UnusedFiles {

  /** What a tool finds by its place or its name. */
  private static final Pattern FOUND_BY_PLACE =
      Pattern.compile(
          "[^/]+|(?:.*/)?(?:pom\\.xml|META-INF/.*|(?:package|module)-info\\.java)"
              + "|\\.(?:github|mvn)/.*|.*/src/test/.*Test\\.java|"
              + AllowList.FOLDER
              + ".*");

  /** What a test runner, JMH or jcstress finds by an annotation. */
  private static final Pattern FOUND_BY_ANNOTATION =
      Pattern.compile(
          "@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|ArchTest|Benchmark|JCStressTest)\\b");

  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|(?m)//.*?$");
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+)");

  /** The paths of code with a word, outside its comments. */
  private final Map<String, List<String>> words = new HashMap<>();

  private final Map<String, String> texts;

  private UnusedFiles(Map<String, String> texts) {
    this.texts = texts;
    texts.forEach(this::index);
  }

  static List<String> judge(Sources sources, AllowList allowed) {
    var files = new UnusedFiles(mentioning(sources.texts()));
    var offences = new LinkedHashMap<String, String>();
    for (Map.Entry<String, String> file : sources.texts().entrySet()) {
      String path = file.getKey();
      if (!FOUND_BY_PLACE.matcher(path).matches() && !files.isNamed(path, file.getValue())) {
        offences.put(path, path + ":1: no other file names it: delete it, or use it");
      }
    }
    var red = new ArrayList<>(allowed.judge(offences));
    red.addAll(allowed.unexplained());
    return red;
  }

  /** The lists of exceptions name files, and use none. */
  private static Map<String, String> mentioning(Map<String, String> texts) {
    var kept = new LinkedHashMap<>(texts);
    kept.keySet().removeIf(path -> path.startsWith(AllowList.FOLDER));
    return kept;
  }

  /** A page or a comment that names a type does not use it. */
  private void index(String path, String text) {
    if (!path.endsWith(".md")) {
      boolean java = path.endsWith(".java");
      for (String word : Sources.words(java ? COMMENT.matcher(text).replaceAll("") : text)) {
        words.computeIfAbsent(word, key -> new ArrayList<>()).add(path);
      }
    }
  }

  private boolean isNamed(String path, String text) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    if (name.endsWith(".java") && !path.contains("/resources/")) {
      String type = name.substring(0, name.length() - ".java".length());
      return FOUND_BY_ANNOTATION.matcher(text).find()
          || words.getOrDefault(type, List.of()).stream()
              .anyMatch(other -> !other.equals(path) && sees(other, packageOf(text)));
    }
    return name.endsWith(".kt") || isMentioned(path, name);
  }

  /** Whether a file is in a package, or names it. */
  private boolean sees(String path, String name) {
    return requireNonNull(texts.get(path)).contains(name);
  }

  private static String packageOf(String text) {
    Matcher found = PACKAGE.matcher(text);
    return found.find() ? found.group(1) : "";
  }

  /**
   * A name that says little, such as run or README.md, is sought with its folder; a script of Redis
   * or Node.js also without its extension, in quotes.
   */
  private boolean isMentioned(String path, String name) {
    boolean says = name.contains(".") && !name.startsWith("README");
    String[] parts = path.split("/", -1);
    String sought = says ? name : parts[parts.length - 2] + "/" + name;
    Pattern stem =
        Pattern.compile("[\"'/]" + Pattern.quote(name.replaceFirst("\\..*", "")) + "[\"']");
    boolean loaded = name.endsWith(".lua") || name.endsWith(".js");
    return texts.entrySet().stream()
        .filter(other -> !other.getKey().equals(path))
        .map(Map.Entry::getValue)
        .anyMatch(text -> text.contains(sought) || (loaded && stem.matcher(text).find()));
  }
}
