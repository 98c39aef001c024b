package dev.pacegate.proxy;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * A part of a configuration file, which knows its place. All methods throw an {@link
 * IllegalArgumentException} that names it if the part is another than they expect.
 */
record ConfigNode(String file, Node node) {

  /** How people write that there is no value. */
  private static final Set<String> NULLS = Set.of("~", "null", "Null", "NULL");

  boolean isMap() {
    return node instanceof MappingNode;
  }

  boolean isList() {
    return node instanceof SequenceNode;
  }

  /** Returns the values of a map whose keys are fixed; they are what is {@code allowed}. */
  Map<String, ConfigNode> fields(String what, List<String> allowed) {
    return map(what, allowed);
  }

  /** Returns the values of a map whose keys are names of the user's. */
  Map<String, ConfigNode> entries(String what) {
    return map(what, List.of());
  }

  private Map<String, ConfigNode> map(String what, List<String> allowed) {
    if (!(node instanceof MappingNode map)) {
      throw wrong(what + " must be keys with values");
    }
    var values = new LinkedHashMap<String, ConfigNode>();
    for (NodeTuple tuple : map.getValue()) {
      var key = new ConfigNode(file, tuple.getKeyNode());
      String name = key.text("a key");
      if (!allowed.isEmpty() && !allowed.contains(name)) {
        throw key.wrong(what + " has no key \"" + name + "\"" + Spelling.advice(name, allowed));
      }
      if (values.put(name, new ConfigNode(file, tuple.getValueNode())) != null) {
        throw key.wrong(name + " is given twice");
      }
    }
    return values;
  }

  List<ConfigNode> items(String what) {
    if (!(node instanceof SequenceNode list)) {
      throw wrong(what + " must be a list");
    }
    var items = new ArrayList<ConfigNode>();
    list.getValue().forEach(item -> items.add(new ConfigNode(file, item)));
    return items;
  }

  /** Returns the items of a list, or the one value that stands for a list of it. */
  List<ConfigNode> itemOrItems(String what) {
    return isList() ? items(what) : List.of(this);
  }

  String text(String what) {
    if (!(node instanceof ScalarNode scalar)) {
      throw wrong(what + " must be one value");
    }
    String text = scalar.getValue().strip();
    if (text.isEmpty() || (scalar.isPlain() && NULLS.contains(text))) {
      throw wrong(what + " has no value");
    }
    return text;
  }

  int number(String what, int least) {
    String text = text(what);
    if (!text.matches("[0-9]+")) {
      throw wrong(what + " must be a whole number of at least " + least);
    }
    var number = new BigInteger(text);
    if (number.bitLength() >= Integer.SIZE) {
      throw wrong(what + " must be at most " + Integer.MAX_VALUE);
    }
    if (number.intValue() < least) {
      throw wrong(what + " must be a whole number of at least " + least);
    }
    return number.intValue();
  }

  /** Returns that this part is wrong. */
  IllegalArgumentException wrong(String problem) {
    String place = node.getStartMark().map(mark -> BoundedYaml.place(file, mark)).orElse(file);
    return new IllegalArgumentException(place + ": " + problem);
  }
}
