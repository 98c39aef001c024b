package dev.pacegate.examples.recipes;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import java.nio.charset.StandardCharsets;

/** Requests and tokens of a language model. */
final class Tokens {

  /** An answer, which tells what it cost. */
  record Answer(String text, long tokens) {}

  /** The provider's client. */
  interface Model {
    Answer complete(String prompt, int maxTokens) throws Exception;
  }

  private final Model model;

  Tokens(Model model) {
    this.model = model;
  }

  final Limiter llm = Limiter.of("peer(60/1m & 90000/1m of tokens)");

  String ask(String prompt) throws Exception {
    int bytes = prompt.getBytes(StandardCharsets.UTF_8).length; // at least one byte per token
    long atMost = 1_000L + bytes; // the longest answer plus the prompt
    try (Permit permit = llm.acquire(Cost.of("tokens", atMost))) {
      Answer answer = model.complete(prompt, 1_000);
      permit.settle(Cost.of("tokens", answer.tokens())); // not reached if it fails: lost
      return answer.text();
    }
  }
}
