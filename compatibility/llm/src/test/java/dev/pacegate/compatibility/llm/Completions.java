package dev.pacegate.compatibility.llm;

/** Responses of OpenAI's chat completions, as JSON. */
final class Completions {

  private static final String HEAD = "{\"id\":\"c-1\",\"created\":1,\"model\":\"m\",\"object\":";
  private static final String CHUNK = HEAD + "\"chat.completion.chunk\",\"choices\":";

  private Completions() {}

  static String whole(long input, long output) {
    return HEAD
        + "\"chat.completion\",\"choices\":[{\"index\":0,\"finish_reason\":\"stop\",\"logprobs\":null,"
        + "\"message\":{\"role\":\"assistant\",\"content\":\"words\",\"refusal\":null}}],\"usage\":"
        + counts(input, output)
        + "}";
  }

  static String part(String text) {
    return CHUNK
        + "[{\"index\":0,\"finish_reason\":null,\"delta\":{\"role\":\"assistant\",\"content\":\""
        + text
        + "\"}}]}";
  }

  static String end() {
    return CHUNK + "[{\"index\":0,\"finish_reason\":\"stop\",\"delta\":{}}]}";
  }

  /** The last event, which comes if the request asks for it. */
  static String usage(long input, long output) {
    return CHUNK + "[],\"usage\":" + counts(input, output) + "}";
  }

  private static String counts(long input, long output) {
    return "{\"prompt_tokens\": %d, \"completion_tokens\": %d, \"total_tokens\": %d}"
        .formatted(input, output, input + output);
  }
}
