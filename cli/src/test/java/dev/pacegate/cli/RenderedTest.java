package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Drawings by librsvg, which knows no variables in style sheets. */
@Tag("servers") // rsvg-convert has to be installed
class RenderedTest {

  @TempDir Path folder;

  @Test
  void aDrawingIsNoBlackRectangle() throws Exception {
    for (String limit : List.of("10/1s", "peer(10/1s)", "100/1s")) {
      Path source = folder.resolve("drawing.svg");
      Session.given("")
          .run("simulate", limit, "--peer", "sliding(10/1s)", "--svg", source.toString());
      assertColoured(source);
    }
  }

  @Test
  void noPictureOfThePagesIsABlackRectangle() throws Exception {
    try (Stream<Path> files = Files.list(Path.of("..", "docs", "pictures"))) {
      for (Path picture : files.toList()) {
        assertColoured(picture);
      }
    }
  }

  private void assertColoured(Path source) throws Exception {
    BufferedImage image = render(source);
    var colours = new HashSet<Integer>();
    for (int x = 0; x < image.getWidth(); x++) {
      for (int y = 0; y < image.getHeight(); y++) {
        colours.add(image.getRGB(x, y) & 0xffffff);
      }
    }
    assertTrue(colours.size() > 20, () -> source + ": " + colours.size() + " colours");
    assertEquals(0xffffff, image.getRGB(1, 1) & 0xffffff, source.toString());
    assertTrue(colours.contains(0x0969da), source.toString());
  }

  private BufferedImage render(Path source) throws Exception {
    Path image = folder.resolve("drawing.png");
    var process =
        new ProcessBuilder("rsvg-convert", source.toString(), "-o", image.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), said);
    return ImageIO.read(image.toFile());
  }
}
