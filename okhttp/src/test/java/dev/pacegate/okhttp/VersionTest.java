package dev.pacegate.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import okhttp3.OkHttp;
import org.junit.jupiter.api.Test;

/** The build runs these tests with two versions of OkHttp. */
class VersionTest {

  @Test
  void theTestsRunWithTheVersionOfTheBuild() throws ReflectiveOperationException {
    Object version = OkHttp.class.getField("VERSION").get(null); // javac would copy its value
    assertEquals(System.getProperty("okhttp.version"), version);
  }
}
