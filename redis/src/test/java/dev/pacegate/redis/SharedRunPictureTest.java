package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With {@code -Dpacegate.write=true} the picture is written, otherwise compared. */
@Tag("pages")
class SharedRunPictureTest {

  @Test
  void bothTogetherReachTheLimitAndThereAreTwoFences() {
    assertEquals(List.of(10L, 10L, 2L), SharedRunPicture.facts());
  }

  @Test
  void leasesAndFencesAreUpToDate() throws IOException {
    String svg = SharedRunPicture.svg();
    Path file = Path.of("..", "docs", "pictures", "leases.svg");
    if (Boolean.getBoolean("pacegate.write")) {
      Files.writeString(file, svg);
    }
    assertEquals(
        svg,
        Files.readString(file),
        "write it: ./mvnw -pl redis -am test -Dtest=SharedRunPictureTest -Dpacegate.write=true"
            + " -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false");
  }
}
