package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What people are told of a failure. */
class CausesTest {

  private static final String WORDS = "The user executing the script can't run this command";

  /** As Redis 6.2 and 7 say it, of a command and of a script's own error. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ERR Error running script (call to f_e9a2): @user_script:5: @user_script: 5: " + WORDS,
        "ERR " + WORDS + " script: e9a2, on @user_script:5.",
        "ERR Error running script (call to f_e9a2): @user_script:5: user_script:5: " + WORDS,
        "ERR user_script:5: " + WORDS + " script: e9a2, on @user_script:5.",
        "ERR " + WORDS
      })
  void anErrorOfAScriptIsToldByItsWords(String error) {
    assertEquals(WORDS, Causes.ofScript(error));
  }

  @Test
  void anErrorOfAScriptThatNamesAnotherIsToldInFull() {
    String place = "user_script:5: ";
    String error = "@" + place + place + "INFO is refused: @user_script: 5: " + WORDS;
    assertEquals(
        "INFO is refused: " + WORDS,
        Causes.ofScript("ERR Error running script (call to f_e9a2): " + error));
  }

  @Test
  void aCodeOfTheServerIsTold() {
    String error = "NOREPLICAS Not enough good replicas to write.";
    assertEquals(error, Causes.ofScript("-" + error));
    assertEquals(error, Causes.ofScript(error + " script: e9a2, on @user_script:5."));
  }

  @Test
  void aFailureOfTheNetworkIsToldWithoutItsClass() {
    assertEquals(
        "no answer for 1s",
        RedisFailures.unchecked(new IOException("no answer for 1s")).getMessage());
  }

  @Test
  void aFailureThatHandsAnotherOnIsNotTold() {
    assertEquals("no", Causes.of(new CompletionException(new IllegalStateException("no"))));
    assertEquals("no reply", Causes.of(null));
  }
}
