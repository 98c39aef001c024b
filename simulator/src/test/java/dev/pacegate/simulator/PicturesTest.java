package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The pictures of the guide, which code draws. With {@code -Dpacegate.write=true} they are written,
 * otherwise compared.
 */
@Tag("pages")
class PicturesTest {

  private static final Path FOLDER = Path.of("..", "docs", "pictures");

  @Test
  void theKindsOfLimitsAreUpToDate() throws IOException {
    compare("kinds.svg", KindsPicture.svg());
  }

  @Test
  void theLifeOfAPermitIsUpToDate() throws IOException {
    compare("permit.svg", PermitPicture.svg());
  }

  private static void compare(String name, String svg) throws IOException {
    TimelineTest.assertLiteral(Svg.read(svg));
    TimelineTest.assertTextFits(Svg.read(svg));
    Path file = FOLDER.resolve(name);
    if (Boolean.getBoolean("pacegate.write")) {
      Files.createDirectories(FOLDER);
      Files.writeString(file, svg);
    }
    assertEquals(
        svg,
        Files.readString(file),
        "write it: ./mvnw -pl simulator -am test -Dtest=PicturesTest -Dpacegate.write=true"
            + " -Dsurefire.failIfNoSpecifiedTests=false");
  }
}
