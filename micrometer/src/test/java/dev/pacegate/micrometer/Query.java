package dev.pacegate.micrometer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.DoubleBinaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Computes a query of Prometheus at one instant, which is that of a scrape. It knows what the
 * dashboard uses of the language, and rejects everything else.
 */
final class Query {

  /** A number, or the values of several series by their labels. */
  private record Value(Map<Map<String, String>, Double> series, boolean number) {

    static Value of(double number) {
      return new Value(Map.of(Map.of(), number), true);
    }
  }

  private static final Pattern TOKEN =
      Pattern.compile("\\s*(=~|[-+*/<>=(){},]|\\[\\w+]|\"[^\"]*\"|[\\d.]+|\\w+)");
  private static final List<Set<String>> LEVELS =
      List.of(Set.of("or"), Set.of("<", ">"), Set.of("+"), Set.of("*", "/"));

  private final Scrapes scrapes;
  private final long now;
  private final List<String> tokens = new ArrayList<>();
  private int next;

  private Query(String text, Scrapes scrapes, long now) {
    this.scrapes = scrapes;
    this.now = now;
    Matcher token = TOKEN.matcher(text);
    int end = 0;
    while (token.find() && token.start() == end) {
      tokens.add(token.group(1));
      end = token.end();
    }
    if (end != text.length()) {
      throw new IllegalArgumentException("unknown: " + text.substring(end));
    }
    tokens.add("the end");
  }

  /** Returns the value of each series at {@code now}, by its labels. */
  static Map<Map<String, String>, Double> at(long now, String text, Scrapes scrapes) {
    var query = new Query(text, scrapes, now);
    Value value = query.operation(0);
    query.expect("the end");
    return value.series;
  }

  private Value operation(int level) {
    if (level == LEVELS.size()) {
      return operand();
    }
    Value left = operation(level + 1);
    while (LEVELS.get(level).contains(tokens.get(next))) {
      String operator = tokens.get(next++);
      left = combine(left, operator, operation(level + 1));
    }
    return left;
  }

  private static Value combine(Value left, String operator, Value right) {
    if (operator.equals("or")) {
      var either = new HashMap<>(right.series);
      either.putAll(left.series);
      return new Value(either, false);
    }
    var result = new HashMap<Map<String, String>, Double>();
    left.series.forEach(
        (labels, one) -> {
          Double other = right.series.get(right.number ? Map.of() : labels);
          if (other != null
              && (!operator.equals("<") || one < other)
              && (!operator.equals(">") || one > other)) {
            result.put(labels, arithmetic(operator).applyAsDouble(one, other));
          }
        });
    return new Value(result, left.number);
  }

  private static DoubleBinaryOperator arithmetic(String operator) {
    return switch (operator) {
      case "+" -> Double::sum;
      case "*" -> (one, other) -> one * other;
      case "/" -> (one, other) -> one / other;
      default -> (one, other) -> one;
    };
  }

  private Value operand() {
    String token = tokens.get(next++);
    if (Character.isDigit(token.charAt(0))) {
      return Value.of(Double.parseDouble(token));
    }
    return switch (token) {
      case "(" -> {
        Value inside = operation(0);
        expect(")");
        yield inside;
      }
      case "sum" -> grouped(Double::sum);
      case "max" -> grouped(Math::max);
      case "rate" -> rise(true);
      case "increase" -> rise(false);
      case "histogram_quantile" -> quantile();
      default -> {
        var values = new HashMap<Map<String, String>, Double>();
        select(token)
            .forEach(
                (labels, all) -> {
                  Double value = all.get(now);
                  if (value != null) {
                    values.put(labels, value);
                  }
                });
        yield new Value(values, false);
      }
    };
  }

  private Value grouped(DoubleBinaryOperator both) {
    expect("by");
    expect("(");
    List<String> names = new ArrayList<>();
    do {
      names.add(tokens.get(next++));
    } while (tokens.get(next++).equals(","));
    expect("(");
    Value all = operation(0);
    expect(")");
    var result = new HashMap<Map<String, String>, Double>();
    all.series.forEach(
        (labels, value) -> {
          var group = new TreeMap<>(labels);
          group.keySet().retainAll(names);
          result.merge(group, value, both::applyAsDouble);
        });
    return new Value(result, false);
  }

  /** Scrapes are regular, so there is nothing to extrapolate. */
  private Value rise(boolean perSecond) {
    expect("(");
    Map<Map<String, String>, NavigableMap<Long, Double>> all = select(tokens.get(next++));
    long range = Long.parseLong(tokens.get(next++).replaceAll("[\\[s\\]]", ""));
    expect(")");
    var result = new HashMap<Map<String, String>, Double>();
    all.forEach(
        (labels, values) -> {
          NavigableMap<Long, Double> within = values.subMap(now - range, true, now, true);
          if (within.size() > 1) {
            double rate = risen(within) / (within.lastKey() - within.firstKey());
            result.put(labels, perSecond ? rate : rate * range);
          }
        });
    return new Value(result, false);
  }

  /** A counter that falls has begun anew at 0. */
  private static double risen(NavigableMap<Long, Double> values) {
    double risen = 0;
    double last = values.firstEntry().getValue();
    for (double value : values.values()) {
      risen += value < last ? value : value - last;
      last = value;
    }
    return risen;
  }

  private Value quantile() {
    expect("(");
    double quantile = Double.parseDouble(tokens.get(next++));
    expect(",");
    Value buckets = operation(0);
    expect(")");
    var groups = new HashMap<Map<String, String>, TreeMap<Double, Double>>();
    buckets.series.forEach(
        (labels, value) -> {
          var group = new TreeMap<>(labels);
          double bound = Buckets.bound(String.valueOf(group.remove("le")));
          groups.computeIfAbsent(group, labelsOfAll -> new TreeMap<>()).put(bound, value);
        });
    var result = new HashMap<Map<String, String>, Double>();
    groups.forEach((labels, counts) -> result.put(labels, Buckets.quantile(quantile, counts)));
    return new Value(result, false);
  }

  private Map<Map<String, String>, NavigableMap<Long, Double>> select(String name) {
    var patterns = new HashMap<String, Pattern>();
    if (tokens.get(next).equals("{")) {
      do {
        next++;
        String label = tokens.get(next++);
        boolean isPattern = tokens.get(next++).equals("=~");
        String value = tokens.get(next++).replace("\"", "");
        patterns.put(label, Pattern.compile(isPattern ? value : Pattern.quote(value)));
      } while (tokens.get(next).equals(","));
      expect("}");
    }
    var found = new HashMap<Map<String, String>, NavigableMap<Long, Double>>();
    scrapes
        .values()
        .forEach(
            (series, values) -> {
              if (series.name().equals(name)
                  && patterns.entrySet().stream().allMatch(each -> fits(series, each))) {
                found.put(series.labels(), values);
              }
            });
    return found;
  }

  private static boolean fits(Scrapes.Series series, Map.Entry<String, Pattern> pattern) {
    String value = series.labels().getOrDefault(pattern.getKey(), "");
    return pattern.getValue().matcher(value).matches();
  }

  private void expect(String token) {
    if (!tokens.get(next++).equals(token)) {
      throw new IllegalArgumentException(
          "expected " + token + " instead of " + tokens.get(next - 1));
    }
  }
}
