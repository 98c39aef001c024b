package dev.pacegate.spring;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The cost of a call: a number, amounts by name, or a {@link Cost}. */
final class CallCost {

  private CallCost() {}

  /**
   * Returns the cost of each call.
   *
   * @param limits that the calls must keep
   * @throws IllegalStateException if none of them counts a cost
   */
  static Function<MethodInvocation, Cost> of(ThrottledMethod method, List<Limit> limits) {
    CallExpression cost = CallExpression.of(method, "cost", method.throttled().cost());
    if (cost == null) {
      return call -> Cost.ONE;
    }
    refuseUncounted(cost, limits);
    return call -> of(call, cost);
  }

  private static void refuseUncounted(CallExpression cost, List<Limit> limits) {
    List<Limit> counting = limits.stream().filter(each -> !each.promises().isEmpty()).toList();
    List<Measure> counted =
        counting.stream().flatMap(each -> each.promises().stream()).map(Promise::of).toList();
    if (counted.isEmpty() || counted.contains(Measure.PLAIN)) {
      return;
    }
    String text = String.join(" & ", counting.stream().map(Limit::toString).toList());
    List<String> names =
        counted.stream().map(Measure::name).filter(Objects::nonNull).distinct().toList();
    if (names.isEmpty()) {
      throw cost.refused(
          text + " counts calls and no costs: remove the cost, or add a limit such as 100/1s");
    }
    if (cost.isNumber()) {
      String named = "{" + names.get(0) + ": " + cost.text() + "}";
      throw cost.refused(text + " counts only costs named " + names + ": write " + named);
    }
  }

  private static Cost of(MethodInvocation call, CallExpression expression) {
    Object value = expression.value(call, Object.class);
    try {
      return cost(value);
    } catch (IllegalArgumentException | ArithmeticException wrong) {
      throw expression.wrong(
          "is " + value + "; a cost must be a whole number of at least 0", wrong);
    }
  }

  private static Cost cost(@Nullable Object value) {
    if (value instanceof Cost cost) {
      return cost;
    }
    if (!(value instanceof Map<?, ?> amounts)) {
      return Cost.of(whole(value));
    }
    Cost cost = Cost.ONE;
    for (Map.Entry<?, ?> amount : amounts.entrySet()) {
      cost = cost.and(String.valueOf(amount.getKey()), whole(amount.getValue()));
    }
    return cost;
  }

  /** Refuses fractions: to round down would under-state a cost. */
  private static long whole(@Nullable Object value) {
    return new BigDecimal(String.valueOf(value)).longValueExact();
  }
}
