package dev.pacegate.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rule of the steps, red on each planted offence. */
class CiStepsTest {

  private static final String RUN = "step_smoke() {\n}\nfunction step_slow_tests () {\n}\n";
  private static final String STEPS =
      """
      # name | cadence | budget | what it proves

      smoke | first | 1300 | it starts
      slow-tests | push | 1200 | no races
      """;

  private static void assertRed(String told, List<String> red) {
    assertEquals(1, red.size(), red::toString);
    assertTrue(red.get(0).contains(told), red::toString);
  }

  @Test
  void aGoodListIsGreen() {
    assertEquals(List.of(), CiSteps.judge(STEPS, RUN));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "x", "-1", "1.5", "10 s"})
  void aStepWithoutABudgetIsRed(String budget) {
    assertRed(
        ".ci/steps:4: slow-tests has no budget", CiSteps.judge(STEPS.replace("1200", budget), RUN));
  }

  @Test
  void aStepThatIsListedTwiceIsRed() {
    assertRed(
        ".ci/steps:5: smoke is also on line 3",
        CiSteps.judge(STEPS + "smoke | nightly | 1 | a\n", RUN));
  }

  @ParameterizedTest
  @CsvSource({"push, 1201", "nightly, 3601"})
  void aStepThatTakesTooLongIsRed(String cadence, int budget) {
    String steps = STEPS.replace("push | 1200", cadence + " | " + budget);
    assertRed("may take " + budget + " s", CiSteps.judge(steps, RUN));
    String less = STEPS.replace("push | 1200", cadence + " | " + (budget - 1));
    assertEquals(List.of(), CiSteps.judge(less, RUN));
  }

  @Test
  void stepsOfPushThatTakeTooLongTogetherAreRed() {
    assertRed(
        ".ci/steps:1: the steps of push may take 1201 s",
        CiSteps.judge(STEPS + "more | push | 1 | a", RUN + "step_more() {\n}\n"));
  }

  @Test
  void aStepWithoutAFunctionAndAFunctionWithoutAStepAreRed() {
    assertRed(
        ".ci/steps:5: more has no function", CiSteps.judge(STEPS + "more | nightly | 1 | a", RUN));
    assertRed(
        ".ci/run:1: step_more is no step", CiSteps.judge(STEPS, RUN + "  step_more() {\n}\n"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "more | nightly | 1",
        "more",
        "more | nightly | 1 | ",
        "more | nightly | 1 | a | b"
      })
  void aLineWithoutFourFieldsIsRed(String line) {
    assertRed(".ci/steps:5: write it as", CiSteps.judge(STEPS + line, RUN));
  }

  @Test
  void anUnknownCadenceAndABadNameAreRed() {
    assertRed("has cadence \"weekly\"", CiSteps.judge(STEPS.replace("push", "weekly"), RUN));
    assertRed("is no name", CiSteps.judge(STEPS.replace("slow-tests", "slow_tests"), RUN));
  }
}
