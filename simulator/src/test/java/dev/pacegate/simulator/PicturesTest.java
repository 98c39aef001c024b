package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The pictures of the pages, which code draws. With {@code -Dpacegate.write=true} they are written,
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

  @Test
  void thePriceOfPeerIsUpToDate() throws IOException {
    compare("price.svg", PricePicture.svg());
  }

  @Test
  void theQuestionsLeadToLimitsOfThePage() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "choosing.md"));
    for (String limit : WhichLimitPicture.limits()) {
      assertTrue(page.contains("`" + limit + "`"), limit);
    }
    compare("which-limit.svg", WhichLimitPicture.svg());
  }

  @Test
  void theMostInAnyIntervalIsAsMeasured() throws IOException {
    compare(
        "excess.svg",
        ExcessPicture.svg(Files.readString(Path.of("..", "docs", "measured", "excess.md"))));
  }

  @Test
  void theWaitsInLanesAreUpToDate() throws IOException {
    compare("lanes.svg", LanesPicture.svg());
  }

  /** Those too that tests of other modules draw. */
  @Test
  void everyPictureIsForEveryRendererAndItsTextFits() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      List<Path> pictures = files.filter(file -> file.toString().endsWith(".svg")).toList();
      assertTrue(pictures.size() > 1, pictures::toString);
      for (Path picture : pictures) {
        Svg svg = Svg.read(Files.readString(picture));
        TimelineTest.assertLiteral(svg);
        TimelineTest.assertTextFits(svg);
      }
    }
  }

  private static void compare(String name, String svg) throws IOException {
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
