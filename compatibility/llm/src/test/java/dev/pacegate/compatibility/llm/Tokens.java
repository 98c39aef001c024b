package dev.pacegate.compatibility.llm;

import dev.pacegate.limit.Cost;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What requests and responses say about models and tokens, as {@code docs/llm.md} reads it. */
final class Tokens {

  static final Pattern MODEL = Pattern.compile("\"model\" *: *\"([^\"]+)\"");
  static final Pattern MOST = Pattern.compile("\"max_(?:completion_)?tokens\" *: *(\\d+)");
  static final Pattern USED = Pattern.compile("\"total_tokens\" *: *(\\d+)");

  private Tokens() {}

  static String model(String request) {
    Matcher model = MODEL.matcher(request);
    return model.find() ? model.group(1) : "";
  }

  static Cost atMost(String request) {
    Matcher most = MOST.matcher(request);
    long output = most.find() ? Long.parseLong(most.group(1)) : 16_000; // the model's maximum
    long input = request.getBytes(StandardCharsets.UTF_8).length; // a token has at least one byte
    return Cost.of("tokens", input + output);
  }

  static Cost used(String response, Cost soFar) {
    Matcher used = USED.matcher(response);
    return used.find() ? soFar.and("tokens", Long.parseLong(used.group(1))) : null;
  }
}
