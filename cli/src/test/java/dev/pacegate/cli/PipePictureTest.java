package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With {@code -Dpacegate.write=true} the picture is written, otherwise compared. */
@Tag("pages")
class PipePictureTest {

  @Test
  void theRecordingOfATerminalIsUpToDate() throws IOException {
    String svg = PipePicture.svg();
    Path file = Path.of("..", "docs", "pictures", "pipe.svg");
    if (Boolean.getBoolean("pacegate.write")) {
      Files.writeString(file, svg);
    }
    assertEquals(
        svg,
        Files.readString(file),
        "write it: ./mvnw -pl cli -am test -Dtest=PipePictureTest -Dpacegate.write=true"
            + " -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false");
  }
}
