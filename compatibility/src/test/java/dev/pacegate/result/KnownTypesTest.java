package dev.pacegate.result;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The table of known exceptions names only classes that there are: a misspelt row has no effect.
 */
class KnownTypesTest {

  static Set<String> types() {
    return KnownFailures.types();
  }

  @ParameterizedTest
  @MethodSource("types")
  void is(String type) throws ClassNotFoundException {
    Class<?> named = Class.forName(type, false, getClass().getClassLoader());
    assertTrue(Throwable.class.isAssignableFrom(named));
  }
}
