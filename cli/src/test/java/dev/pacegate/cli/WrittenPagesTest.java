package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Pages that the code writes: {@code docs/grammar.md} is what {@code pacegate limits} prints. With
 * {@code -Dpacegate.write=true} they are written, otherwise compared.
 */
@Tag("pages")
class WrittenPagesTest {

  private static final Path DOCS = Path.of("..", "docs");

  @Test
  void grammarIsWhatTheCommandPrints() throws IOException {
    String printed = Session.given("").run("limits").succeeds().out();
    compare(
        "grammar.md",
        """
        # The syntax of limits

        `./pacegate limits` prints this text; a test checks that this page matches it. [Limits and permits](guide/1-limits.md) explains the kinds; [choosing a limit](choosing.md) helps you pick one.

        ```text
        """
            + printed.replace("\r\n", "\n").stripTrailing()
            + """

            ```

            ## What surprises people

            - `1/1s` never allows two requests at once; `60/1m` has the same rate but allows 60 at once.
            - Decimals are rejected. Write `1/2s` instead of 0.5/1s.
            - `m` means minutes. For months, write `mo`, which works only in `aligned`.
            - By default, a bucket starts full (`initial=full`), but a bucket within `peer` starts empty.
            - In a shell, put the limit in quotes.
            """);
  }

  private static void compare(String name, String wanted) throws IOException {
    Path page = DOCS.resolve(name);
    if (Boolean.getBoolean("pacegate.write")) {
      Files.writeString(page, wanted);
    }
    assertEquals(
        wanted,
        Files.readString(page),
        "write it: ./mvnw -pl cli -am test -Dtest=WrittenPagesTest -Dpacegate.write=true"
            + " -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false");
  }
}
