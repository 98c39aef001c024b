package dev.pacegate.micrometer;

import dev.pacegate.simulator.drawing.Pen;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.stream.DoubleStream;

/** The axis of values of a panel, in one of Grafana's units. */
final class PanelAxis {

  private static final int MOST_STEPS = 4;

  private static final double ROOM = 1.06; // so that a line at the top is seen

  private final String unit;
  private final double step;
  final double end;

  /** An axis from 0 to at least {@code most}. */
  PanelAxis(String unit, double most) {
    this.unit = unit;
    double next = 0.01;
    while (next * MOST_STEPS < most) {
      next = following(next);
    }
    step = next;
    end = Math.max(most * ROOM, step);
  }

  /** Of 1, 2, 5, 10 and so on. */
  private static double following(double step) {
    String digits = BigDecimal.valueOf(step).unscaledValue().toString();
    return step * (digits.startsWith("2") ? 2.5 : 2);
  }

  /** Returns the values that are marked. */
  double[] marks() {
    return DoubleStream.iterate(0, value -> value <= end, value -> value + step).toArray();
  }

  String words(double value) {
    return words(unit, value);
  }

  /** Returns the width of the widest of its words. */
  double width() {
    return DoubleStream.of(marks()).map(value -> Pen.LEGEND.width(words(value))).max().orElse(0);
  }

  /** Returns a value with its unit, as Grafana writes it. */
  static String words(String unit, double value) {
    return switch (unit) {
      case "short" -> number(value);
      case "cps" -> number(value) + " c/s";
      case "reqps" -> number(value) + " req/s";
      case "percentunit" -> number(value * 100) + "%";
      case "s" -> value > 0 && value < 1 ? number(value * 1000) + " ms" : number(value) + " s";
      default -> throw new IllegalArgumentException("no words for the unit " + unit);
    };
  }

  private static String number(double value) {
    if (Double.isInfinite(value)) {
      return "more";
    }
    return new BigDecimal(value).round(new MathContext(3)).stripTrailingZeros().toPlainString();
  }
}
