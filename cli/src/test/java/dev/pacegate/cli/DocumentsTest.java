package dev.pacegate.cli;

import static java.util.stream.Collectors.toCollection;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.LimitFormatException;
import dev.pacegate.limit.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the documents name is there: files, sections, limits, numbers. */
@Tag("pages")
class DocumentsTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path README = ROOT.resolve("README.md");
  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```");
  private static final Pattern NAMED_TEST = Pattern.compile("`(\\w+Test\\.\\w+…?)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
  private static final Pattern CODE = Pattern.compile("`([^`\\n]+)`");
  private static final Pattern LIMIT =
      Pattern.compile(
          "\\d[\\d_]*/\\d*(ns|us|ms|s|m|h|d|w|mo)\\b.*"
              + "|(peer|starts|bucket|spacing|warmup|fixed|aligned|concurrent)\\(.*");
  private static final Pattern NUMBER =
      Pattern.compile("(?<![\\w.])(\\d+(?: \\d{3})*(?:\\.\\d+)?)\\b");
  private static final Pattern DRAWN_WORDS = Pattern.compile("<text[^>]*>([^<]*)");
  private static final Pattern RIDDLE = Pattern.compile("([Ww]hoever|[Nn]obody|[Ss]omebody)");

  /** What a row of the README's comparison measures, and the columns that have it. */
  private static final Map<String, String> COLUMNS =
      Map.of(
          "rejected out of 100000", "refused|half waited up to",
          "maximum number of requests started in any 200 ms", "fullest",
          "time in ns", "ns");

  private static List<Path> documents() throws IOException {
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(top, docs).filter(file -> file.toString().endsWith(".md")).toList();
    }
  }

  @ParameterizedTest
  @MethodSource("documents")
  void everyLinkLeadsSomewhere(Path document) throws IOException {
    var broken = new TreeSet<String>();
    for (String link : links(document)) {
      if (!leadsSomewhere(document, link)) {
        broken.add(link);
      }
    }
    assertEquals(Set.of(), broken);
  }

  /** Returns the links of a document to other files and sections. */
  private static List<String> links(Path document) throws IOException {
    String prose = FENCED.matcher(Files.readString(document)).replaceAll("");
    return matches(LINK, prose).stream().filter(link -> !link.matches("https?://.*")).toList();
  }

  private static boolean leadsSomewhere(Path document, String link) throws IOException {
    String[] parts = link.split("#", 2);
    Path file = target(document, link);
    if (!Files.exists(file) || !file.startsWith(ROOT)) {
      return false;
    }
    return parts.length == 1 || anchors(Files.readString(file)).contains(parts[1]);
  }

  private static Path target(Path document, String link) {
    String path = link.split("#", 2)[0];
    return path.isEmpty() ? document : document.resolveSibling(path).normalize();
  }

  /** Returns the anchors of the headings of a text, in order. */
  private static List<String> anchors(String text) {
    var seen = new HashMap<String, Integer>();
    var anchors = new ArrayList<String>();
    for (String heading : matches(HEADING, FENCED.matcher(text).replaceAll(""))) {
      String anchor = anchor(heading);
      int before = seen.merge(anchor, 1, Integer::sum) - 1;
      anchors.add(before == 0 ? anchor : anchor + "-" + before);
    }
    return anchors;
  }

  private static String anchor(String heading) {
    return heading.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9 _-]", "").replace(' ', '-');
  }

  @Test
  void everyPageIsLinkedFromAnother() throws IOException {
    var linked = new HashSet<Path>();
    for (Path document : documents()) {
      for (String link : links(document)) {
        if (!target(document, link).equals(document)) {
          linked.add(target(document, link));
        }
      }
    }
    List<Path> alone =
        documents().stream()
            .filter(page -> page.startsWith(ROOT.resolve("docs")) && !linked.contains(page))
            .toList();
    assertEquals(List.of(), alone);
  }

  /** Two equal headings would share a link. */
  @Test
  void everyDecisionHasALinkOfItsOwn() throws IOException {
    int decisions = 0;
    for (Path page : documents()) {
      if (page.startsWith(ROOT.resolve("docs/decisions"))) {
        List<String> headings = matches(HEADING, Files.readString(page));
        assertEquals(
            headings.size(),
            headings.stream().map(DocumentsTest::anchor).distinct().count(),
            page.toString());
        decisions += headings.size();
      }
    }
    assertTrue(decisions > 100, "only " + decisions);
  }

  @ParameterizedTest
  @MethodSource("documents")
  void everyLimitCanBeRead(Path document) throws IOException {
    var wrong = new ArrayList<String>();
    String prose = FENCED.matcher(Files.readString(document)).replaceAll("");
    for (String code : matches(CODE, prose)) {
      if (isLimit(code)) {
        try {
          var unused = Limits.parse(code);
        } catch (LimitFormatException e) {
          wrong.add(String.valueOf(e.getMessage()));
        }
      }
    }
    assertEquals(List.of(), wrong);
  }

  /** What is left out in a limit is written as an ellipsis, or as the name of what it is. */
  private static boolean isLimit(String code) {
    return LIMIT.matcher(code).matches()
        && !code.contains("…")
        && !code.contains("...")
        && !code.matches("\\w+\\([a-zA-Z]+\\)");
  }

  @Test
  void thePagesOfLimitsHaveMany() throws IOException {
    for (String name :
        List.of("README.md", "docs/choosing.md", "docs/guarantees.md", "docs/guide/1-limits.md")) {
      List<String> codes = matches(CODE, Files.readString(ROOT.resolve(name)));
      assertTrue(codes.stream().filter(DocumentsTest::isLimit).count() > 10, name);
    }
  }

  @Test
  void theReadmeIsShort() throws IOException {
    int words = Files.readString(README).trim().split("\\s+", -1).length;
    assertTrue(words <= 900, "words: " + words);
  }

  @ParameterizedTest
  @MethodSource("documents")
  void thingsAreNamed(Path document) throws IOException {
    assertEquals(List.of(), matches(RIDDLE, Files.readString(document)));
  }

  @Test
  void thingsAreNamedInTheCode() throws IOException {
    List<Path> sources = sources("src/main/java");
    assertTrue(sources.size() > 300, "sources: " + sources.size());
    var riddles = new TreeSet<Path>();
    for (Path source : sources) {
      if (!matches(RIDDLE, Files.readString(source)).isEmpty()) {
        riddles.add(source);
      }
    }
    assertEquals(Set.of(), riddles);
  }

  /** The numbers of the README's comparison are those of the pages it links to. */
  @Test
  void theComparisonSaysWhatWasMeasured() throws IOException {
    List<String> lines = Files.readAllLines(README);
    int head =
        lines.indexOf("| measured | Pacegate | Guava | Resilience4j | Bucket4j | Failsafe |");
    assertTrue(head > 0);
    List<String> libraries = cells(lines.get(head));
    var wrong = new ArrayList<String>();
    int rows = 0;
    for (String line : lines.subList(head + 2, lines.size())) {
      if (!line.startsWith("|")) {
        break;
      }
      rows++;
      List<String> cells = cells(line);
      String row = cells.get(0);
      List<String> section = section(matches(LINK, row).get(0));
      List<String> columns =
          COLUMNS.entrySet().stream()
              .filter(of -> row.contains(of.getKey()))
              .map(Map.Entry::getValue)
              .toList();
      assertEquals(1, columns.size(), "what columns have this? " + row);
      for (int i = 1; i < cells.size(); i++) {
        String library = libraries.get(i);
        String cell = CODE.matcher(cells.get(i)).replaceAll("");
        List<String> measured = measured(section, library, columns.get(0));
        List<String> numbers = matches(NUMBER, cell);
        if (numbers.isEmpty() != cell.equals("–") || cell.equals("–") != measured.isEmpty()) {
          wrong.add(cell + ": " + line);
        }
        numbers.stream()
            .filter(number -> !measured.contains(number))
            .forEach(number -> wrong.add(number + " of " + library + ": " + line));
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(rows >= 3, "rows: " + rows);
  }

  /** The numbers above its two pictures are those in them. */
  @Test
  void theReadmeSaysWhatItsPicturesShow() throws IOException {
    List<String> lines = Files.readAllLines(README);
    int rule = lines.indexOf("|---|---|");
    List<String> head = cells(lines.get(rule - 1));
    List<String> pictures = cells(lines.get(rule + 1));
    for (int i = 0; i < head.size(); i++) {
      String picture = Files.readString(ROOT.resolve(matches(LINK, pictures.get(i)).get(0)));
      List<String> drawn = numbersIn(picture);
      List<String> numbers = matches(NUMBER, CODE.matcher(head.get(i)).replaceAll(""));
      assertEquals(List.of(), numbers.stream().filter(each -> !drawn.contains(each)).toList());
      assertTrue(numbers.size() > 1, numbers::toString);
    }
  }

  /** Returns the numbers in the words of a picture, not those of its coordinates. */
  private static List<String> numbersIn(String picture) {
    String words = String.join("\n", matches(DRAWN_WORDS, picture));
    return matches(NUMBER, words.replace("none of ", "0 of "));
  }

  @Test
  void coordinatesAreNoNumbersOfAPicture() {
    String picture = "<text x=\"104.8\" y=\"3.9\">rejects none of 10000, 8.03 a second</text>";
    assertEquals(List.of("0", "10000", "8.03"), numbersIn(picture));
  }

  @Test
  void theReadmeSaysWhatPeerCostsInItsPicture() throws IOException {
    String picture = Files.readString(ROOT.resolve("docs/long-requests-2.svg"));
    Matcher accepted = Pattern.compile("accepted: ([\\d.]+) of (\\d+) per second").matcher(picture);
    assertTrue(accepted.find());
    double share = Double.parseDouble(accepted.group(1)) / Integer.parseInt(accepted.group(2));
    String said = "`peer` gets " + Math.round(100 * share) + " % of the limit";
    assertTrue(Files.readString(README).contains(said), said);
  }

  private static List<String> cells(String row) {
    String inside = row.substring(1, row.lastIndexOf('|'));
    return Stream.of(inside.split("\\|", -1)).map(String::trim).toList();
  }

  /** Returns the lines of the section that a link of the README leads to. */
  private static List<String> section(String link) throws IOException {
    String[] parts = link.split("#", 2);
    List<String> lines = Files.readAllLines(ROOT.resolve(parts[0]));
    int from = 0;
    while (!lines.get(from).startsWith("#") || !anchor(heading(lines.get(from))).equals(parts[1])) {
      from++;
    }
    int to = from + 1;
    while (to < lines.size() && !lines.get(to).startsWith("#")) {
      to++;
    }
    return lines.subList(from, to);
  }

  private static String heading(String line) {
    return line.replaceFirst("^#+ ", "");
  }

  /** Returns the numbers in these columns, where the row or the column names the library. */
  private static List<String> measured(List<String> section, String library, String columns) {
    var numbers = new ArrayList<String>();
    List<String> header = List.of();
    for (int i = 0; i < section.size(); i++) {
      String line = CODE.matcher(section.get(i)).replaceAll("");
      if (i + 1 < section.size() && section.get(i + 1).startsWith("|--")) {
        header = cells(line);
      } else if (line.startsWith("|") && !line.startsWith("|--")) {
        List<String> cells = cells(line);
        for (int at = 0; at < cells.size(); at++) {
          String column = header.get(at);
          if (column.matches(columns) && (column.contains(library) || line.contains(library))) {
            numbers.addAll(matches(NUMBER, cells.get(at)));
          }
        }
      }
    }
    return numbers;
  }

  /** Returns the Java files of that folder in all modules. */
  private static List<Path> sources(String folder) throws IOException {
    List<Path> modules;
    try (Stream<Path> folders = Files.list(ROOT)) {
      modules = folders.map(module -> module.resolve(folder)).filter(Files::exists).toList();
    }
    var sources = new ArrayList<Path>();
    for (Path module : modules) {
      try (Stream<Path> files = Files.walk(module)) {
        files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
      }
    }
    return sources;
  }

  @Test
  void everyWordOfOtherLibrariesIsAnswered() throws IOException {
    Set<String> unanswered =
        Stream.of(
                "token bucket",
                "leaky bucket",
                "sliding window",
                "SmoothBursty",
                "SmoothWarmingUp",
                "maximumBurst",
                "ThrottleMode",
                "Semaphore",
                "circular buffer",
                "ring",
                "limit_conn",
                "limit_req",
                "Redis",
                "cluster",
                "distributed",
                "Sentinel",
                "DelayQueue",
                "CPU load",
                "memory load")
            .collect(toCollection(TreeSet::new));
    List<String> words = yourWords();
    assertTrue(words.size() > 30, "rows: " + words.size());
    unanswered.removeIf(word -> isAnswered(word, words));
    assertEquals(Set.of(), unanswered);
  }

  /** Returns the first cells of the tables of docs/choosing.md. */
  private static List<String> yourWords() throws IOException {
    return Files.readAllLines(ROOT.resolve("docs/choosing.md")).stream()
        .filter(line -> line.startsWith("| "))
        .map(line -> cells(line).get(0))
        .toList();
  }

  /** Whole words: a ring is not in Spring. */
  private static boolean isAnswered(String word, List<String> words) {
    var whole = Pattern.compile("(?i)(?<!\\w)" + Pattern.quote(word) + "(?!\\w)");
    return words.stream().anyMatch(cell -> whole.matcher(cell).find());
  }

  @Test
  void everyTestThatIsNamedIsThere() throws IOException {
    List<String> named = matches(NAMED_TEST, Files.readString(ROOT.resolve("docs/pekko.md")));
    assertTrue(named.size() > 10, () -> "only " + named);
    var missing = new ArrayList<String>();
    for (String test : named) {
      String[] parts = test.split("\\.", 2);
      Path file = ROOT.resolve("pekko/src/test/java/dev/pacegate/pekko/" + parts[0] + ".java");
      // With an ellipsis it stands for all tests that begin so.
      String method = parts[1].endsWith("…") ? parts[1].replace("…", "") : parts[1] + "(";
      if (!Files.exists(file) || !Files.readString(file).contains("void " + method)) {
        missing.add(test);
      }
    }
    assertEquals(List.of(), missing);
  }

  @Test
  void everyScenarioIsToldOf() throws IOException {
    String guarantees = Files.readString(ROOT.resolve("docs/guarantees.md"));
    try (Stream<Path> scenarios = Files.list(ROOT.resolve("simulator/scenarios"))) {
      List<String> untold =
          scenarios
              .map(file -> "scenarios/" + file.getFileName())
              .filter(scenario -> !guarantees.contains(scenario))
              .toList();
      assertEquals(List.of(), untold);
    }
  }

  @Test
  void aLinkThatLeadsNowhereIsFound() throws IOException {
    assertTrue(leadsSomewhere(README, "docs/guarantees.md#what-counts"));
    assertFalse(leadsSomewhere(README, "docs/guarantees.md#what-does-not-count"));
    assertFalse(leadsSomewhere(README, "docs/no-such.md"));
    assertTrue(isLimit("bucket(5/1s, brust=5)"));
    assertFalse(isLimit("peer(limit)"));
    assertFalse(isAnswered("ring", List.of("Spring annotations")));
    assertTrue(isAnswered("ring", yourWords()));
    assertFalse(isAnswered("lane", yourWords()));
  }

  /** A number of another column, or of another library's column. */
  @Test
  void swappedColumnsAreFound() {
    List<String> rates =
        List.of(
            "| rate | Guava granted | Pacegate granted |",
            "|---|---|---|",
            "| 80 000/s | 81 696 | 79 709 |");
    assertEquals(List.of("81 696"), measured(rates, "Guava", ".* granted"));
    assertEquals(List.of("79 709"), measured(rates, "Pacegate", ".* granted"));
    List<String> thread =
        List.of(
            "| | best ns | median ns | bytes |",
            "|---|--:|--:|--:|",
            "| Pacegate window | 28.5 | 29.4 | 0 |",
            "| Guava | 35.8 | 36.4 | 8 |");
    assertEquals(List.of("35.8"), measured(thread, "Guava", "best ns"));
    assertEquals(List.of("8"), measured(thread, "Guava", "bytes"));
  }

  private static List<String> matches(Pattern pattern, String text) {
    return pattern.matcher(text).results().map((MatchResult match) -> match.group(1)).toList();
  }
}
