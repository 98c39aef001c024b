package dev.pacegate.simulator;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * Parses a {@link Study} from YAML: {@code question}, {@code answer}, settings, and {@code runs},
 * each with its {@code limit}, what is {@code refused} (none, some), and settings that differ.
 */
final class ScenarioFile {

  private static final String RUNS = "runs";
  private static final String CHANGES = "changes";

  private final String name;
  private String question = "";
  private String answer = "";
  private final Settings settings = new Settings();
  private final Settings overrides;
  private final List<Study.Run> runs = new ArrayList<>();

  private ScenarioFile(String name, Settings overrides) {
    this.name = name;
    this.overrides = overrides;
  }

  /**
   * Parses a file.
   *
   * @param name the file, for messages and as the name of the study
   * @param overrides settings that replace those of the file
   * @throws IllegalArgumentException if it is wrong; the message names the file, the line and the
   *     key
   */
  static Study read(String name, String text, Settings overrides) {
    var file = new ScenarioFile(name, overrides);
    Node root = file.compose(text);
    Map<String, Node> values = file.mapping(root, "the file");
    values.forEach(file::take);
    Node list = values.get(RUNS);
    if (list == null) {
      throw file.wrong(root, RUNS + " is missing: a list of limits to try");
    }
    for (Node node : file.sequence(list, RUNS)) {
      file.runs.add(file.run(node));
    }
    if (file.runs.isEmpty()) {
      throw file.wrong(list, RUNS + " is empty: give at least one limit");
    }
    return new Study(shortName(name), file.question, file.runs, file.answer);
  }

  private static String shortName(String name) {
    String last = name.substring(name.lastIndexOf('/') + 1);
    return last.endsWith(".yaml") ? last.substring(0, last.length() - 5) : last;
  }

  private Node compose(String text) {
    try {
      var settings = LoadSettings.builder().setLabel(name).setAllowDuplicateKeys(false).build();
      var parser = new ParserImpl(settings, new StreamReader(settings, text));
      return new Composer(settings, parser)
          .getSingleNode()
          .orElseThrow(() -> new IllegalArgumentException(name + ": the file is empty"));
    } catch (MarkedYamlEngineException e) {
      int line = e.getProblemMark().map(mark -> mark.getLine() + 1).orElse(0);
      throw new IllegalArgumentException(name + ", line " + line + ": " + e.getProblem(), e);
    } catch (YamlEngineException e) {
      throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
    }
  }

  private void take(String key, Node value) {
    switch (key) {
      case "question" -> question = scalar(value, key);
      case "answer" -> answer = scalar(value, key);
      case RUNS -> {}
      default -> set(settings, key, value, "question, answer, runs");
    }
  }

  private Study.Run run(Node node) {
    Settings own = settings.copy();
    Limit limit = null;
    var refused = Study.Refused.ANY;
    for (var entry : mapping(node, "a run").entrySet()) {
      Node value = entry.getValue();
      switch (entry.getKey()) {
        case "limit" -> limit = limit(value);
        case "refused" -> refused = refused(value);
        default -> set(own, entry.getKey(), value, "limit, refused");
      }
    }
    if (limit == null) {
      throw wrong(node, "limit is missing, such as peer(10/1s)");
    }
    own.override(overrides);
    try {
      return new Study.Run(own.scenario(limit), refused);
    } catch (IllegalArgumentException e) {
      throw wrong(node, String.valueOf(e.getMessage()));
    }
  }

  private void set(Settings into, String key, Node value, String others) {
    if (key.equals(CHANGES)) {
      sequence(value, key).forEach(change -> change(into, change));
      return;
    }
    Setting setting = setting(key);
    if (setting == null) {
      throw wrong(
          value,
          "there is no key \""
              + key
              + "\", expected "
              + others
              + ", "
              + CHANGES
              + ", "
              + String.join(", ", settings()));
    }
    String text = scalar(value, key);
    try {
      into.set(setting, text);
    } catch (IllegalArgumentException e) {
      throw wrong(value, String.valueOf(e.getMessage()));
    }
  }

  private void change(Settings into, Node node) {
    Map<String, Node> values = mapping(node, "a change");
    Node at = values.get("at");
    Node limit = values.get("limit");
    if (at == null || limit == null || values.size() != 2) {
      throw wrong(node, "a change has two keys: at (a duration) and limit");
    }
    String instant = scalar(at, "at");
    String text = scalar(limit, "limit");
    try {
      into.change(instant, text);
    } catch (IllegalArgumentException e) {
      throw wrong(node, String.valueOf(e.getMessage()));
    }
  }

  private static List<String> settings() {
    return List.of(Setting.values()).stream().map(Setting::text).toList();
  }

  private static @Nullable Setting setting(String key) {
    for (Setting setting : Setting.values()) {
      if (setting.text().equals(key)) {
        return setting;
      }
    }
    return null;
  }

  private Limit limit(Node value) {
    try {
      return Limits.parse(scalar(value, "limit"));
    } catch (IllegalArgumentException e) {
      throw wrong(value, "limit: " + e.getMessage());
    }
  }

  private Study.Refused refused(Node value) {
    String text = scalar(value, "refused");
    for (Study.Refused refused : List.of(Study.Refused.NONE, Study.Refused.SOME)) {
      if (refused.name().toLowerCase(Locale.ROOT).equals(text)) {
        return refused;
      }
    }
    throw wrong(value, "refused must be none or some, not \"" + text + '"');
  }

  // ---- nodes

  private Map<String, Node> mapping(Node node, String what) {
    if (!(node instanceof MappingNode mapping)) {
      throw wrong(node, what + " must have keys and values");
    }
    var values = new LinkedHashMap<String, Node>();
    for (NodeTuple tuple : mapping.getValue()) {
      String key = scalar(tuple.getKeyNode(), "a key");
      if (values.put(key, tuple.getValueNode()) != null) {
        throw wrong(tuple.getKeyNode(), key + " is given twice");
      }
    }
    return values;
  }

  private List<Node> sequence(Node node, String key) {
    if (node instanceof SequenceNode sequence) {
      return sequence.getValue();
    }
    throw wrong(node, key + " must be a list");
  }

  private String scalar(Node node, String key) {
    if (node instanceof ScalarNode scalar) {
      return scalar.getValue().strip();
    }
    throw wrong(node, key + " must be one value");
  }

  private IllegalArgumentException wrong(Node node, String problem) {
    int line = node.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
    return new IllegalArgumentException(name + ", line " + line + ": " + problem);
  }
}
