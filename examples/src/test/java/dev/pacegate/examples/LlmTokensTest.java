package dev.pacegate.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class LlmTokensTest {

  private static final long TOKENS = 20_000;
  private static final String LIMIT = "peer(1000/1s & 20000/1s of tokens) & concurrent(16)";

  /** Returns what part of the allowance was delivered in that time; no request is refused. */
  private static double delivered(boolean settles, int seconds) throws Exception {
    try (var provider = new LlmTokens.Provider(1_000, TOKENS, Duration.ofSeconds(1))) {
      long began = System.nanoTime();
      LlmTokens.send(
          LlmTokens.client(LIMIT, settles), provider, 1_000, Duration.ofSeconds(seconds));
      assertEquals(0, provider.refused());
      long passed = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began); // may be longer
      double part = (double) provider.delivered() / (passed * TOKENS);
      System.out.printf("%s: %.3f of the tokens%n", settles ? "settled" : "estimated", part);
      return part;
    }
  }

  @Test
  void noneIsRefused() throws Exception {
    double part = 0;
    for (int i = 0; i < 20 && part == 0; i++) { // on a busy machine the first answer takes long
      part = delivered(true, 2);
    }
    assertTrue(part > 0);
  }

  /** A machine that has other work may be too slow. */
  @Test
  @Tag("idle")
  void noneIsRefusedAndNearlyAllTokensAreUsed() throws Exception {
    double best = 0;
    for (int i = 0; i < 3 && best < 0.9; i++) {
      best = Math.max(best, delivered(true, 4));
    }
    assertTrue(best >= 0.9, "delivered " + best);
  }

  /**
   * Without the actual costs much of the allowance is lost, so the test above can fail. An answer
   * has about half of the tokens that are charged, and at most one window more than seconds have
   * passed is used: at most 3/2 of a half are delivered.
   */
  @Test
  void estimatesAloneWasteTokens() throws Exception {
    double part = delivered(false, 2);
    assertTrue(part < 0.85, "delivered " + part);
  }

  @Test
  void withoutALimitTheProviderRefuses() throws Exception {
    try (var provider = new LlmTokens.Provider(5, TOKENS, Duration.ofMinutes(1))) {
      HttpClient client = LlmTokens.client("concurrent(16)", true);
      for (int i = 0; i < 200 && provider.refused() == 0; i++) {
        LlmTokens.send(client, provider, 50, Duration.ofMillis(500));
      }
      assertTrue(provider.refused() > 0);
    }
  }

  @Test
  void theProgramIsNeverRefused() throws Exception {
    List<String> lines = Printed.by(LlmTokens::main);
    List<String> nothing = List.of("0 tokens of 40000, 0 requests refused"); // it had no time
    for (int i = 0; i < 20 && lines.equals(nothing); i++) {
      lines = Printed.by(LlmTokens::main);
    }
    assertEquals(1, lines.size(), lines.toString());
    assertTrue(
        lines.get(0).matches("[1-9]\\d* tokens of 40000, 0 requests refused"), lines.toString());
  }
}
