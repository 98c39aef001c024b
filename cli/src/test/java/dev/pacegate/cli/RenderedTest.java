package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
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
      BufferedImage image = render(limit);
      var colours = new HashSet<Integer>();
      for (int x = 0; x < image.getWidth(); x++) {
        for (int y = 0; y < image.getHeight(); y++) {
          colours.add(image.getRGB(x, y) & 0xffffff);
        }
      }
      assertTrue(colours.size() > 20, () -> limit + ": " + colours.size() + " colours");
      assertEquals(0xffffff, image.getRGB(1, 1) & 0xffffff, limit);
      assertTrue(colours.contains(0x0969da), limit);
    }
  }

  private BufferedImage render(String limit) throws Exception {
    Path source = folder.resolve("drawing.svg");
    Session.given("")
        .run("simulate", limit, "--peer", "sliding(10/1s)", "--svg", source.toString());
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
