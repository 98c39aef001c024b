package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditJsonTest {

  private static void assertPrints(int status, String object, String log, String... command) {
    Session session = Session.given(log).run(command);
    String text = object.replaceAll("\\n *", "") + "\n";
    assertEquals(text, session.out());
    assertEquals(status, session.status());
  }

  @Test
  void tellsWhatWasReadAndWhatWasFound(@TempDir Path folder) throws Exception {
    Path first = Files.writeString(folder.resolve("first"), "5.3\n\n5.7\n");
    Path last = Files.writeString(folder.resolve("last"), "6.2\n6.25\n \n");
    assertPrints(
        Status.BROKEN,
        """
        {"limit":"3/1s & spacing(50ms)","kept":false,
        "files":["%s","%s"],"lines":6,"skipped":2,
        "requests":4,"cost":4,"from":"5.3","to":"6.25","promises":[
        {"promise":"at most 3 in any 1s","kept":false,"measured":4,"found":"most: 4 within 950ms",
        "worst":{"from":"5.3","to":"6.25","nanos":950000000},"fits":"at most 4 in any 1s"},
        {"promise":"starts at least 50ms apart","kept":true,"measured":50000000,"found":"smallest gap: 50ms",
        "worst":{"from":"6.2","to":"6.25","nanos":50000000},"fits":"starts at least 50ms apart"}]}
        """
            .formatted(first, last),
        "",
        "audit",
        "3/1s",
        "--json",
        "-l",
        "spacing(50ms)",
        first.toString(),
        last.toString());
  }

  @Test
  void tellsOfEachGroup() {
    assertPrints(
        Status.BROKEN,
        """
        {"limit":"1/1s","kept":false,"files":["-"],"lines":4,"skipped":1,"groups":[
        {"group":"a","kept":false,"requests":2,"cost":2,"from":"1","to":"1.5","promises":[
        {"promise":"at most 1 in any 1s","kept":false,"measured":2,"found":"most: 2 within 500ms",
        "worst":{"from":"1","to":"1.5","nanos":500000000},"fits":"at most 2 in any 1s"}]},
        {"group":"b\\\\ü","kept":true,"requests":1,"cost":1,"from":"2","to":"2","promises":[
        {"promise":"at most 1 in any 1s","kept":true,"measured":1,"found":"most: 1",
        "worst":{"from":"2","to":"2","nanos":0},"fits":"at most 1 in any 1s"}]}]}
        """,
        "time;who\n1;a\n1.5;a\n2;b\\ü\n",
        "audit",
        "1/1s",
        "--json",
        "-s;",
        "--by=who");
  }

  @Test
  void tellsThatNothingWasRead() {
    assertPrints(
        Status.OK,
        """
        {"limit":"1/1s","kept":true,"files":["-"],"lines":0,"skipped":0,
        "requests":0,"cost":0,"promises":[{"promise":"at most 1 in any 1s","kept":true}]}
        """,
        "",
        "audit",
        "1/1s",
        "--json");
  }

  @Test
  void doesNotGoWithSuggestions() {
    Session.given("1\n")
        .run("audit", "--suggest", "--json")
        .fails(2, "--json tells whether LIMIT was kept, so it cannot be used with --suggest");
  }
}
