package dev.pacegate.compatibility.llm;

import dev.pacegate.Limiter;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Asks a model, and reads its whole response. */
@FunctionalInterface
interface Ask {

  /** The most tokens of a response. */
  int MAX_TOKENS = 300;

  void ask(String model, String prompt) throws Exception;

  /** Where requests go, and how. */
  record Setup(String url, Map<String, Limiter> limits, int retries) {

    /** Makes something for each model. */
    <T> Map<String, T> each(Function<String, T> maker) {
      return limits.keySet().stream().collect(Collectors.toMap(name -> name, maker));
    }
  }
}
