package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
        {"limits":["3/1s","spacing(50ms)"],"kept":false,
        "files":["%s","%s"],"lines":6,"skipped":2,
        "requests":4,"cost":4,"ended":false,"from":"5.3","to":"6.25","gap":50000000,"promises":[
        {"promise":"at most 3 in any 1s","kept":false,"measured":4,"found":"most: 4 within 950ms",
        "worst":{"from":"5.3","to":"6.25","nanos":950000000},"tightest":"at most 4 in any 1s","fits":"4/1s"},
        {"promise":"starts at least 50ms apart","kept":true,"measured":50000000,"found":"smallest gap: 50ms",
        "worst":{"from":"6.2","to":"6.25","nanos":50000000},"tightest":"starts at least 50ms apart","fits":"spacing(50ms)"}]}
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
        {"limits":["1/1s"],"kept":false,"files":["-"],"lines":4,"skipped":1,"groups":[
        {"group":"a","kept":false,"requests":2,"cost":2,"ended":false,"from":"1","to":"1.5","gap":500000000,"promises":[
        {"promise":"at most 1 in any 1s","kept":false,"measured":2,"found":"most: 2 within 500ms",
        "worst":{"from":"1","to":"1.5","nanos":500000000},"tightest":"at most 2 in any 1s","fits":"2/1s"}]},
        {"group":"b\\\\\\u00FC\\u009B","kept":true,"requests":1,"cost":1,"ended":false,"from":"2","to":"2","promises":[
        {"promise":"at most 1 in any 1s","kept":true,"measured":1,"found":"most: 1",
        "worst":{"from":"2","to":"2","nanos":0},"tightest":"at most 1 in any 1s","fits":"1/1s"}]}]}
        """,
        "time;who\n1;a\n1.5;a\n2;b\\ü\u009b\n",
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
        {"limits":["1/1s"],"kept":true,"files":["-"],"lines":0,"skipped":0,
        "requests":0,"cost":0,"ended":false,"promises":[{"promise":"at most 1 in any 1s","kept":true}]}
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

  @Test
  void tellsOfCostsAndEnds() {
    assertPrints(
        Status.BROKEN,
        """
        {"limits":["peer(9/1s of tokens)","concurrent(2)","bucket(2/1s, burst=5)"],"kept":false,
        "files":["-"],"lines":2,"skipped":0,
        "requests":2,"cost":9,"ended":true,"from":"1","to":"3","gap":2000000000,"promises":[
        {"promise":"at most 9 of tokens in any 1s, counted by the peer at any time between start and end",
        "kept":false,"measured":12,"found":"most: 12 within 500ms",
        "worst":{"from":"2.5","to":"3","nanos":500000000},
        "tightest":"at most 12 of tokens in any 1s, counted by the peer at any time between start and end",
        "fits":"peer(12/1s of tokens)"},
        {"promise":"at most 2 open at any instant","kept":true,"measured":1,"found":"most open: 1",
        "worst":{"from":"1","to":"1","nanos":0},"tightest":"at most 1 open at any instant",
        "fits":"concurrent(1)"},
        {"promise":"at most max(5, largest cost) + W * 2/1s in any W","kept":true,"measured":5,
        "found":"largest burst: 5, by 5","worst":{"from":"3","to":"3","nanos":0},
        "tightest":"at most max(5, largest cost) + W * 2/1s in any W","fits":"bucket(2/1s, burst=5)"}]}
        """,
        "1 2.5 4 7\n3 3 5 5\n",
        "audit",
        "peer(9/1s of tokens)",
        "-lconcurrent(2)",
        "-lbucket(2/1s, burst=5)",
        "--json",
        "-c1",
        "--end-column=2",
        "--cost-column=3",
        "--cost-column=tokens=4");
  }

  @Test
  void aLineThatCannotBeReadLeavesNoObject() {
    Session session = Session.given("1\n2\nx\n").run("audit", "1/1s", "--json");
    session.fails(2, "line 3 of standard input: \"x\" is no instant");
    assertEquals("", session.out());
  }

  /** So memory grows with the groups, not with their text. */
  @Test
  void isWrittenInParts() {
    var log = new StringBuilder();
    for (int client = 0; client < 1_000; client++) {
      log.append("1 ").append(client).append('\n');
    }
    Session session = Session.given(log.toString()).run("audit", "1/1s", "--json", "--by=2");
    assertTrue(session.out().length() > 100_000);
    session.writes.forEach(part -> assertTrue(part.text().length() <= 8_192));
  }
}
