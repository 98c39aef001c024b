package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code proxy --config}, as far as it needs no request. */
class ProxyConfigTest {

  private static final String ROUTES =
      """
      to: https://api.example.com
      limits:
        api: 60/1m
        each: {limit: 5/1s, key: header:X-Api-Key, within: 50/1s}
      routes:
      - {match: {path: /v1/upload, method: POST}, limit: each}
      - {limit: api, cost: 2, class: header:X-Class}
      """;

  @TempDir private Path folder;

  private String file(String content) throws IOException {
    return Files.writeString(folder.resolve("routes.yaml"), content).toString();
  }

  @Test
  void checkPrintsWhatIsInForce() throws Exception {
    Session session = Session.given("").run("proxy", "--config", file(ROUTES), "--check");
    assertEquals(Status.OK, session.status(), session.err());
    assertEquals(
        """
        limit api: peer(60/1m)
        limit each: peer(5/1s) per X-Api-Key within peer(50/1s), of at most 10000 values
        route POST /v1/upload -> api.example.com, limit each
        route all -> api.example.com, limit api, cost 2, class by X-Class
        """,
        session.out());
    assertEquals("", session.err());
  }

  @Test
  void checkFailsWithOneLine() throws Exception {
    String wrong = file(ROUTES.replace("cost: 2", "cots: 2"));
    String message =
        wrong + ", line 7, column 16: a route has no key \"cots\"; did you mean \"cost\"?";
    Session.given("").run("proxy", "--config", wrong, "--check").fails(2, message);
    Session.given("").run("proxy", "--config", wrong).fails(2, message);
  }

  @Test
  void aFileThatIsNotThereIsATypo() {
    String none = folder.resolve("none").toString();
    Session.given("")
        .run("proxy", "--config", none)
        .fails(2, "cannot read " + none + " (No such file or directory)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--config f --to http://a | --config cannot be used with --to or LIMIT: the file says both",
        "--config f 5/1s | --config cannot be used with --to or LIMIT: the file says both",
        "--config f -l 5/1s | --config cannot be used with --to or LIMIT: the file says both",
        "--config f --key header:A | --config cannot be used with --key and its options: the file says them of each limit",
        "--config f --within 5/1s | --config cannot be used with --key and its options: the file says them of each limit",
        "--config f --most-keys 5 | --config cannot be used with --key and its options: the file says them of each limit",
        "--config f --queue-per-key 5 | --config cannot be used with --key and its options: the file says them of each limit",
        "--config f --state s | --config cannot be used with --state or --store: its limits are counted here only",
        "--config f --store redis://localhost | --config cannot be used with --state or --store: its limits are counted here only",
        "--config f --name n | --config cannot be used with --state or --store: its limits are counted here only",
        "--config f --durable | --config cannot be used with --state or --store: its limits are counted here only",
        "--config f --store-password-file p | --config cannot be used with --state or --store: its limits are counted here only",
        "--check --to http://a 5/1s | --check needs --config",
        "5/1s | give --to=URL and LIMIT, or --config=FILE"
      })
  void optionsThatTheFileHasAreRefused(String options, String message) {
    var given = new ArrayList<>(List.of("proxy"));
    given.addAll(List.of(options.split(" ", -1)));
    Session.given("").run(given.toArray(String[]::new)).fails(2, message);
  }
}
