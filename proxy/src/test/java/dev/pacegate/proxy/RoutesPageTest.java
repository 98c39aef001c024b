package dev.pacegate.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The file that docs/proxy-routes.md shows can be used as it is. */
class RoutesPageTest {

  @Test
  void theFileOnThePageIsOne() throws Exception {
    String page = Files.readString(Path.of("..", "docs", "proxy-routes.md"));
    int begin = page.indexOf("```yaml\n") + 8;
    byte[] shown = page.substring(begin, page.indexOf("```", begin)).getBytes(UTF_8);
    ProxyFile file = ProxyFile.parse("page", shown);
    assertEquals(3, file.limits().size());
    assertEquals(4, file.routes().size());
  }
}
