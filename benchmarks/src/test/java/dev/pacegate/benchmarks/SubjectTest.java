package dev.pacegate.benchmarks;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.BooleanSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SubjectTest {

  private static final int CALLS = 10_000;

  @ParameterizedTest
  @EnumSource
  void letsEverythingThrough(Subject subject) {
    BooleanSupplier request = subject.granting();
    for (int i = 0; i < CALLS; i++) {
      assertTrue(request.getAsBoolean());
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLOOR")
  void turnsEverythingAway(Subject subject) {
    BooleanSupplier request = subject.refusing();
    for (int i = 0; i < CALLS; i++) {
      assertFalse(request.getAsBoolean());
    }
  }
}
