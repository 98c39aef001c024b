package dev.pacegate.spring;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;

/** The limits as the properties state them. */
final class LimitTexts {

  static final String PREFIX = "pacegate.limits";

  private static final Bindable<Map<String, String>> TEXTS =
      Bindable.mapOf(String.class, String.class);

  private LimitTexts() {}

  /** Returns the text of each limit by its name. */
  static Map<String, String> in(Environment environment) {
    return new TreeMap<>(Binder.get(environment).bind(PREFIX, TEXTS).orElse(Map.of()));
  }

  /**
   * Returns the limits, as the peer counts them unless a text says otherwise: every user of them
   * sees how its request ends.
   *
   * @throws InvalidConfigurationPropertyValueException if a text is no limit
   */
  static Map<String, Limit> parse(Map<String, String> texts) {
    var limits = new TreeMap<String, Limit>();
    texts.forEach((name, text) -> limits.put(name, parse(name, text)));
    return limits;
  }

  private static Limit parse(String name, String text) {
    try {
      return Limits.parse(text).asPeerCounts();
    } catch (IllegalArgumentException wrong) {
      throw invalid(name, text, wrong);
    }
  }

  static InvalidConfigurationPropertyValueException invalid(
      String name, String text, RuntimeException wrong) {
    String reason = requireNonNull(wrong.getMessage(), "");
    return new InvalidConfigurationPropertyValueException(
        PREFIX + "." + name,
        text,
        reason
            + ". Allowed are limits such as 10/1m, bucket(5/1s, burst=5), 10/1s & concurrent(4)");
  }
}
