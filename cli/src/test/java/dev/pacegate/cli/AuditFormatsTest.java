package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Logs as other programs write them, and groups of their lines. */
class AuditFormatsTest {

  private static final String FIRST = "2026-01-31T12:00:00Z";

  /** Two requests, half a second or a second apart, by each kind of program. */
  private static Map<String, String> logs() {
    var logs = new HashMap<String, String>();
    logs.put(
        "nginx",
        """
        10.0.0.1 - - [31/Jan/2026:12:00:00 +0000] "GET /a HTTP/1.1" 200 7 "-" "curl/7 [x]"
        10.0.0.2 - bob [31/Jan/2026:12:00:01 +0000] "GET / HTTP/1.1" 200 7 "-" "curl/7"
        """);
    logs.put(
        "haproxy",
        """
        Jan 31 12:00:05 host haproxy[14]: 10.0.1.2:3317 [31/Jan/2026:12:00:00.000] http-in web/s 10/0
        Jan 31 12:00:09 host haproxy[14]: 10.0.1.2:3317 [31/Jan/2026:12:00:01.000] http-in web/s 10/0
        """);
    logs.put("git", "2026-01-31 13:00:00 +0100 a\n2026-01-31 07:00:01 -05:00 b\n");
    logs.put("zone", "a 2026-01-31T13:00:00 +0100\nb 2026-01-31T12:00:01Z -0700\n");
    logs.put("asctime", "Sat Jan 31 12:00:00 2026 a\nSat Jan 31 12:00:01 2026 b\n");
    logs.put("syslog", "Jan 31 12:00:00 host a: x\nJan 31 12:00:01 host b: y\n");
    logs.put("mail", "x Sat, 31 Jan 2026 12:00:00 GMT y\nx Sat, 31 Jan 2026 12:00:01 GMT y\n");
    logs.put("text", "INFO 2026-01-31 12:00:00,000 sent\nINFO 2026-01-31 12:00:01,000 sent\n");
    logs.put("mark", "\ufeff2026-01-31T12:00:00Z\n2026-01-31T12:00:01Z\n");
    logs.put(
        "json",
        """
        {"level": "info", "time": "2026-01-31T12:00:00Z", "tags": ["a", {"time": 1}]}
        {"time": "2026-01-31T12:00:01Z", "level": null}
        """);
    return logs;
  }

  private static List<Map.Entry<String, String>> entries() {
    return new ArrayList<>(logs().entrySet());
  }

  @ParameterizedTest
  @MethodSource("entries")
  void findsTheInstantByItself(Map.Entry<String, String> log) {
    var session = Session.given(log.getValue()).run("audit", "9/1s");
    assertEquals(Status.OK, session.status(), session.err());
    String first = session.out().lines().findFirst().orElse("");
    first = first.replaceAll("\\b19\\d\\d-", "2026-"); // by the clock, for a log without years
    assertEquals(
        "2 requests within 1s, from " + FIRST + " to 2026-01-31T12:00:01Z", first, log.getKey());
  }

  @Test
  void tellsFromWhereTheInstantIsRead() {
    String log = logs().getOrDefault("nginx", "");
    assertEquals(
        "pacegate: the instant is read from column 4: 31/Jan/2026:12:00:00 +0000\n",
        Session.given(log).run("audit", "9/1s").err());
    assertEquals("", Session.given(log).run("audit", "9/1s", "--column=4").err());
    assertEquals(
        "pacegate: the instant is read from the field time\n",
        Session.given(logs().getOrDefault("json", "")).run("audit", "9/1s").err());
  }

  @Test
  void readsColumnsByTheNamesOfAHeader() {
    String table =
        "address,\"when, exactly\",tokens\na,\"2026-01-31 12:00:00\",5\nb,2026-01-31 12:00:01,6\n";
    var session =
        Session.given(table)
            .run(
                "audit",
                "10/1m of tokens",
                "--column=when, exactly",
                "--cost-column=tokens=tokens");
    assertEquals(Status.BROKEN, session.status(), session.err());
    assertTrue(session.out().contains("most: 11 within 1s"), session.out());
    assertEquals(
        "pacegate: the first line names the columns: address, when, exactly, tokens\n",
        session.err());
    var wrong = Session.given(table).run("audit", "10/1m", "--column=wehn");
    assertEquals(Status.BAD, wrong.status());
    String names =
        "line 2 of standard input: there is no column wehn, only address, when, exactly, tokens\n";
    assertTrue(wrong.err().endsWith(names), wrong.err());
  }

  @Test
  void skipsAHeaderOfATable() {
    var session = Session.given("time;what\n1;x\n2;y\n").run("audit", "10/1m", "--separator=;");
    assertTrue(session.out().startsWith("2 requests within 1s, from 1 to 2\n"), session.err());
  }

  @Test
  void readsHowLongRequestsTook() {
    String log = "2 0.5 a\n2.25 500ms b\n";
    String[] took = {"audit", "concurrent(1)", "--column=1", "--duration-column=2"};
    String out = Session.given(log).run(took).out();
    assertTrue(out.contains("most open: 2, at 2.25"), out);
    String ends =
        Session.given(log)
            .run("audit", "9/1s", "-c1", "--duration-column=2", "--ends-logged")
            .out();
    assertTrue(ends.startsWith("2 requests within 250ms, from 1.5 to 1.75\n"), ends);
    Session.given("1 x\n")
        .run(took)
        .fails(
            2,
            "line 1 of standard input: \"x\" is no duration: seconds up to 999999999, or with a unit"
                + " such as 35ms");
    Session.given("1\n")
        .run("audit", "9/1s", "--ends-logged")
        .fails(2, "--ends-logged changes nothing without --duration-column");
  }

  @Test
  void readsSeveralFilesAlsoPackedOnes(@TempDir Path folder) throws Exception {
    Path first = folder.resolve("log.1.gz");
    Files.write(first, gzip("1\n2\n"));
    Path second = Files.writeString(folder.resolve("log"), "3\n");
    String[] both = {"audit", "9/1s", first.toString(), second.toString()};
    assertTrue(Session.given("").run(both).out().startsWith("3 requests within 2s, from 1 to 3\n"));
    String[] wrong = {"audit", "9/1s", second.toString(), first.toString()};
    Session.given("")
        .run(wrong)
        .fails(
            2, "line 1 of " + first + ": 1 is 2s earlier than a line before it (try --reorder 2s)");
    assertTrue(
        Session.given(gzip("1\n2\n"))
            .run("audit", "9/1s")
            .out()
            .startsWith("2 requests within 1s"));
  }

  private static byte[] gzip(String text) throws Exception {
    var bytes = new ByteArrayOutputStream();
    try (var out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return bytes.toByteArray();
  }

  @Test
  void namesWhatIsWrongWithALineOfJson() {
    String start = "{\"time\": 1}\n";
    Session.given(start + "{\"time\": \n")
        .run("audit", "9/1s", "--column=time")
        .fails(2, "line 2 of standard input: it is no JSON object");
    Session.given(start + "{\"at\": 1}\n")
        .run("audit", "9/1s", "--column=time")
        .fails(2, "line 2 of standard input: it has no column time");
    Session.given("{\"at\": 1}\n")
        .run("audit", "9/1s")
        .fails(
            2,
            "line 1 of standard input: which field is the instant? (see --column, and --unit for"
                + " numbers)");
    Session.given(start)
        .run("audit", "9/1s", "--by=1")
        .fails(
            2,
            "line 1 of standard input: lines of JSON have fields with names, so there is no column 1");
  }

  @Test
  void aQuoteInAQuotedColumnSeparatesNothing() {
    String table = "ts,agent,ip\n1,\"say \"\"hi, there\"\"\",a\n2,x,a\n";
    var session = Session.given(table).run("audit", "1/1m", "-cts", "--by=ip");
    assertEquals(Status.BROKEN, session.status(), session.err());
    assertTrue(session.out().startsWith("2 requests in 1 group by ip"), session.out());
  }

  @Test
  void findsTheInstantByTheNamesOfAHeader() {
    String table = "id,ts,ip\n17,5,a\n18,5,a\n19,5,a\n";
    var session = Session.given(table).run("audit", "2/1s", "--by=ip");
    assertEquals(Status.BROKEN, session.status(), session.err());
    assertTrue(session.out().contains("a: broken, most: 3, at 5"), session.out());
    String err = Session.given("id,when\n1,2\n").run("audit", "2/1s", "--by=id").err();
    assertTrue(err.endsWith("which column is the instant? (see --column)\n"), err);
    assertEquals(
        "pacegate: the instant is read from column 1: 17\n",
        Session.given("17 a\n").run("audit", "2/1s", "--by=2").err());
  }

  @Test
  void prefersADateToANumberInJson() {
    String log = "{\"time\": 0.2, \"timestamp\": \"2026-01-31T12:00:00Z\"}\n";
    assertTrue(Session.given(log).run("audit", "1/1s").out().startsWith("1 request, at 2026-"));
    Session.given("{\"ts\": 1}{\"ts\": 1.1}\n")
        .run("audit", "1/1s", "--column=ts")
        .fails(2, "line 1 of standard input: it has more than a JSON object");
  }

  @Test
  void namesOfGroupsForgeNoLines() {
    String log = "{\"ts\": 1, \"ip\": \"\\u001b[31mx\\nkept by all: everything\"}\n";
    String out = Session.given(log).run("audit", "1/1s", "--by=ip").out();
    assertTrue(out.contains("  \\x1b[31mx\\nkept by all: everything: most: 1, at 1\n"), out);
  }

  @Test
  void aDurationThatLeadsTooFarIsNamed() {
    Session.given("9223372036 1\n")
        .run("audit", "9/1s", "-c1", "--duration-column=2")
        .fails(2, "line 1 of standard input: \"1\" leads out of the years 1678 to 2261");
  }

  /** Two packed parts, and a pause between them, as by a pipe. */
  @Test
  void aPauseBehindAPackedPartIsNotTheEnd() throws Exception {
    byte[] first = gzip("1\n");
    byte[] second = gzip("2\n");
    var pipe =
        new SequenceInputStream(
            new ByteArrayInputStream(first),
            new FilterInputStream(new ByteArrayInputStream(second)) {
              @Override
              public int available() {
                return 0;
              }
            });
    assertTrue(Session.given(pipe).run("audit", "9/1s").out().startsWith("2 requests within 1s"));
  }

  @Test
  void linesBehindAPackedPartAreRefused() throws Exception {
    for (int lines : new int[] {1, 100_000}) {
      Session.given(joined(gzip("1\n"), "2\n".repeat(lines)))
          .run("audit", "9/1s")
          .fails(
              Status.IO,
              "cannot read standard input: what follows a part packed by gzip is not packed");
    }
    assertEquals(0, Session.given(joined(gzip("1\n"), "\0\0\0")).run("audit", "9/1s").status());
  }

  @Test
  void aPackedFileThatEndsInItsHeaderIsToldAsOneThatEndsLater() throws Exception {
    byte[] packed = gzip("1\n2\n");
    for (int length : new int[] {5, packed.length - 9}) {
      Session.given(Arrays.copyOf(packed, length))
          .run("audit", "9/1s")
          .fails(Status.IO, "cannot read standard input: it ends within what gzip has packed");
    }
  }

  private static byte[] joined(byte[] packed, String behind) {
    byte[] all = Arrays.copyOf(packed, packed.length + behind.length());
    System.arraycopy(
        behind.getBytes(StandardCharsets.UTF_8), 0, all, packed.length, behind.length());
    return all;
  }

  @Test
  void judgesEachGroupByItself() {
    String log = "1 a\n1.1 b\n1.2 a\n1.3 a\n9 c\n";
    var session = Session.given(log).run("audit", "2/1s & spacing(150ms)", "--column=1", "--by=2");
    assertEquals(Status.BROKEN, session.status(), session.err());
    assertEquals(
        """
        5 requests in 3 groups by column 2
        broken by 1 of 3: at most 2 in any 1s
          a: broken, most: 3 within 300ms, from 1 to 1.3
          b: most: 1, at 1.1
          c: most: 1, at 9
          limit that fits: at most 3 in any 1s
        broken by 1 of 3: starts at least 150ms apart
          a: broken, smallest gap: 100ms, from 1.2 to 1.3
          b: nothing to count
          c: nothing to count
          limit that fits: starts at least 100ms apart
        """,
        session.out());
    Session.given(log).run("audit", "3/1s", "--column=1", "--by=2");
    assertEquals(
        Status.OK, Session.given(log).run("audit", "3/1s", "--column=1", "--by=2").status());
    String json = "{\"ts\": 1, \"r\": {\"ip\": \"a\"}}\n{\"ts\": 1, \"r\": {\"ip\": \"b\"}}\n";
    assertTrue(
        Session.given(json).run("audit", "1/1s", "--by=r.ip").out().startsWith("2 requests in 2"));
  }

  /** They may have as much as the last that is told. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          2/1s        | 0  | and 4 more groups
          2/1s        | 3  | and 4 more groups
          2/1s        | 12 | and 4 more groups, 2 of which broke it
          spacing(1s) | 3  | and 4 more groups
          """)
  void theGroupsThatAreNotToldAreCounted(String limit, int broken, String words) {
    var log = new StringBuilder();
    for (int group = 0; group < 14; group++) {
      log.append((1000 * group + " g" + group + "\n").repeat(group < broken ? 3 : 1));
    }
    String out = Session.given(log.toString()).run("audit", limit, "--column=1", "--by=2").out();
    assertTrue(out.contains("\n  " + words + "\n"), out);
    assertEquals(
        Math.min(broken, 10), out.lines().filter(one -> one.contains(": broken, ")).count());
  }

  /** The audit of one group is that of its lines alone. */
  @Test
  void theWorstGroupIsThatOfEachAlone() {
    long seed = Long.getLong("seed", System.nanoTime());
    var random = new Random(seed);
    var log = new StringBuilder();
    Map<String, StringBuilder> alone = new HashMap<>();
    long now = 0;
    for (int i = 0; i < 3_000; i++) {
      now += random.nextLong(20_000_000);
      String group = "g" + Math.min(random.nextInt(20), random.nextInt(20));
      log.append(now).append(' ').append(group).append('\n');
      alone.computeIfAbsent(group, name -> new StringBuilder()).append(now).append('\n');
    }
    String found =
        Session.given(log.toString()).run("audit", "1/1s", "-uns", "-c1", "--by=2").out();
    List<String> lines = found.lines().toList();
    assertTrue(lines.get(1).startsWith("broken by "), "seed " + seed);
    for (String line : lines.subList(2, 12)) {
      String group = line.substring(2, line.indexOf(':'));
      String of = Session.given("" + alone.get(group)).run("audit", "1/1s", "-uns").out();
      assertTrue(
          of.contains(line.replaceFirst("  " + group + ": (broken, )?", "  ")),
          "seed " + seed + line + of);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.7:51234, 10.0.0.7",
    "::ffff:10.0.0.7:51234, ::ffff:10.0.0.7",
    "2001:db8::1]:80, 2001:db8::1", // as a column is trimmed
    "[2001:db8::1]:80, 2001:db8::1",
    "2001:db8::1:51234, 2001:db8::1",
    "::1:51234, ::1",
    "64:ff9b::10.0.0.7:80, 64:ff9b::10.0.0.7",
    "2001:db8:0:0:0:0:0:1:80, 2001:db8:0:0:0:0:0:1",
    "2001:db8:0:0:0:0:0:1:51234, 2001:db8:0:0:0:0:0:1",
    "[::1], ::1", // as JSON has it
    "[10.0.0.7]:80, 10.0.0.7",
    "fe80::1%eth0:80, fe80::1%eth0",
    "[fe80::1%eth0]:80, fe80::1%eth0"
  })
  void anAddressIsCountedWithoutItsPort(String logged, String address) {
    assertEquals(address, Addresses.withoutPort(logged, false));
    assertEquals(address, Addresses.withoutPort(logged, true));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "2001:db8::1",
        "2001:db8::",
        "::1",
        "2001:db8:0:0:0:0:0:1",
        "10.0.0.7",
        "unix:1",
        "host:80",
        "1:2",
        "app[worker]:3"
      })
  void alsoInALogOfHaproxyAnAddressWithoutAPortStays(String text) {
    assertEquals(text, Addresses.withoutPort(text, true));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":",
        "10.0.0.7",
        "2001:db8::1:80",
        "::1",
        "2001:db8:0:0:0:0:0:1",
        "a.b.c.d:80",
        "1:2",
        "1.2.3:4",
        "12:30:45123",
        "user:12345",
        "app[worker]:3",
        "[worker]:3",
        "[::1",
        "::1::2:80",
        "1.2.3.4.5:80"
      })
  void aTextThatMayHaveNoPortStays(String text) {
    assertEquals(text, Addresses.withoutPort(text, false));
  }

  /** HAProxy writes no brackets around an address, so a short port looks like its last group. */
  @Test
  void inALogOfHaproxyAnAddressIsCountedWithoutItsPort() {
    String log =
        """
        Jan 31 12:00:05 host haproxy[14]: 2001:db8::1:3317 [31/Jan/2026:12:00:00.000] http-in web/s
        Jan 31 12:00:05 host haproxy[14]: 2001:db8::1:80 [31/Jan/2026:12:00:00.001] http-in web/s
        Jan 31 12:00:05 host haproxy[14]: 10.0.0.7:80 [31/Jan/2026:12:00:00.002] http-in web/s
        Jan 31 12:00:05 host haproxy[14]: 2001:db8::1:51234 [31/Jan/2026:12:00:00.003] http-in web/s
        """;
    String out = Session.given(log).run("audit", "2/1s", "--by", "6").out();
    assertTrue(out.startsWith("4 requests in 2 groups by column 6\nbroken by 1 of 2: "), out);
    assertTrue(out.contains("\n  2001:db8::1: broken, most: 3 within 3ms, "), out);
  }

  /** With milliseconds too, as Apache may log them: it is the zone that HAProxy lacks. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "2001:db8::1:N [31/Jan/2026:12:00:00.123 +0000] x\n",
        "2001:db8::N [31/Jan/2026:12:00:00.123] x\n",
        "2001:db8::N [31/Jan/2026:12:00:00 +0000] x\n"
      })
  void addressesWithoutAPortAreNotMerged(String line) {
    String log = line.replace('N', '1') + line.replace('N', '2');
    String out = Session.given(log).run("audit", "1/1s", "--by", "1").out();
    assertTrue(out.startsWith("2 requests in 2 groups by column 1\nkept by all: "), out);
  }

  /** Others are quoted without the words behind them. */
  @Test
  void quotesTheWordsOfAnInstant() {
    String[] command = {"audit", "1/1s", "--time-format=d.M.uuuu HH:mm", "--end-column=3"};
    Session.given("31.1.2026 12:00 31.1.2026 11:59 x y\n")
        .run(command)
        .fails(2, "line 1 of standard input: \"31.1.2026 11:59\" is before its start");
    Session.given("31.1.2026 12:00 31.1.2026 12:00 x y\n")
        .run("audit", "1/1s", "--time-format=d.M.uuuu HH:mm", "-c1", "--cost-column=5")
        .fails(2, "line 1 of standard input: \"x\" is no cost: a whole number of up to 18 digits");
  }

  @Test
  void groupsConnectionsOfAnAddress() {
    var session = Session.given("1 10.0.0.7:1\n1 10.0.0.7:2\n").run("audit", "1/1s", "--by", "2");
    assertEquals(Status.BROKEN, session.status(), session.out());
  }
}
