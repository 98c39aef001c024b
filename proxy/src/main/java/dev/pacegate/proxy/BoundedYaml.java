package dev.pacegate.proxy;

import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ParserException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.parser.Parser;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * A YAML document as a tree of nodes, of which no object is made. Its depth and its aliases are
 * bounded: the tree is built and read by recursion.
 */
final class BoundedYaml implements Parser {

  private static final int DEEPEST = 20;
  private static final int MOST_ALIASES = 50;

  private final Parser events;
  private int depth;

  private BoundedYaml(Parser events) {
    this.events = events;
  }

  /**
   * Parses the one document of a text.
   *
   * @throws IllegalArgumentException if it is none; the message names the file and the place
   */
  static Node parse(String file, String text) {
    var settings =
        LoadSettings.builder().setLabel(file).setMaxAliasesForCollections(MOST_ALIASES).build();
    var events = new BoundedYaml(new ParserImpl(settings, new StreamReader(settings, text)));
    try {
      return new Composer(settings, events)
          .getSingleNode()
          .orElseThrow(() -> new IllegalArgumentException(file + ": the file is empty"));
    } catch (MarkedYamlEngineException e) {
      String place = e.getProblemMark().map(mark -> place(file, mark)).orElse(file);
      throw new IllegalArgumentException(place + ": " + problem(e), e);
    } catch (ReaderException e) {
      int at = text.offsetByCodePoints(0, e.getPosition());
      int line = text.lastIndexOf('\n', at - 1) + 1; // where it begins
      long lines = text.substring(0, line).chars().filter(c -> c == '\n').count();
      String place = place(file, (int) lines, at - line);
      throw new IllegalArgumentException(place + ": " + e.getMessage(), e);
    } catch (YamlEngineException e) {
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    }
  }

  private static String problem(MarkedYamlEngineException e) {
    String problem = String.valueOf(e.getProblem());
    if (String.valueOf(e.getContext()).contains("scanning an alias")) {
      return "a value that begins with * must be in quotes";
    }
    return problem.startsWith("but ") ? e.getContext() + ", " + problem : problem;
  }

  static String place(String file, Mark mark) {
    return place(file, mark.getLine(), mark.getColumn());
  }

  private static String place(String file, int line, int column) {
    return file + ", line " + (line + 1) + ", column " + (column + 1);
  }

  @Override
  public boolean checkEvent(Event.ID choice) {
    return events.checkEvent(choice);
  }

  @Override
  public Event peekEvent() {
    return events.peekEvent();
  }

  @Override
  public boolean hasNext() {
    return events.hasNext();
  }

  @Override
  public Event next() {
    Event event = events.next();
    switch (event.getEventId()) {
      case MappingStart, SequenceStart -> depth++;
      case MappingEnd, SequenceEnd -> depth--;
      default -> {}
    }
    if (depth > DEEPEST) {
      throw new ParserException("more than " + DEEPEST + " levels", event.getStartMark());
    }
    if (hasTag(event)) {
      throw new ParserException("tags are not allowed", event.getStartMark());
    }
    return event;
  }

  private static boolean hasTag(Event event) {
    return event instanceof ScalarEvent scalar
        ? scalar.getTag().isPresent()
        : event instanceof CollectionStartEvent start && start.getTag().isPresent();
  }
}
