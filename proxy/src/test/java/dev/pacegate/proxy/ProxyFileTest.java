package dev.pacegate.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A mistake in a file is told in one line, with its place. */
class ProxyFileTest {

  private static final String GOOD = "to: http://a\nlimits: {api: 10/1s}\nroutes: [{limit: api}]\n";

  private static String problem(byte[] content) {
    var wrong = assertThrows(IllegalArgumentException.class, () -> ProxyFile.parse("f", content));
    String told = String.valueOf(wrong.getMessage());
    assertEquals(1, told.lines().count(), told);
    return told;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "routes: [{limit: api, match: {}}] | f, line 3, column 30: match is empty: leave it out if"
            + " the route is for all requests",
        "routes: [{limit: api, match: {paths: /a}}] | f, line 3, column 31: match has no key"
            + " \"paths\"; did you mean \"path\"?",
        "routes: [{limit: api, match: {path: a}}] | f, line 3, column 37: path must begin with /,"
            + " such as /v1/*",
        "routes: [{limit: api, match: {path: /%61}}] | f, line 3, column 37: path must be written"
            + " as it is compared: /a",
        "routes: [{limit: api, match: {path: /a%2f}}] | f, line 3, column 37: path must be written"
            + " as it is compared: /a%2F",
        "routes: [{limit: api, match: {path: '/v1/*/x'}}] | f, line 3, column 37: path may have a *"
            + " at its end alone, such as /v1/*",
        "routes: [{limit: api, match: {path: '/a?b'}}] | f, line 3, column 37: path must have no"
            + " query, no # and no characters that must be encoded",
        "routes: [{limit: api, match: {host: *.x}}] | f, line 3, column 38: a value that begins"
            + " with * must be in quotes",
        "routes: [{limit: api, match: {path: /a/../b}}] | f, line 3, column 37: path is ambiguous:"
            + " such requests are not passed on",
        "routes: [{limit: api, match: {path: /a%zz}}] | f, line 3, column 37: path is ambiguous:"
            + " such requests are not passed on",
        "routes: [{limit: api, match: {path: '/a\\b'}}] | f, line 3, column 37: path is ambiguous:"
            + " such requests are not passed on",
        "routes: [{limit: api, match: {host: a..b}}] | f, line 3, column 37: host must be a name"
            + " without a port, such as a.example.com or *.example.com",
        "routes: [{limit: api, match: {host: null}}] | f, line 3, column 37: host has no value",
        "routes: [{limit: api, match: {headers: {}}}] | f, line 3, column 40: headers is empty:"
            + " leave it out",
        "routes: [{limit: api, match: {headers: {X-Tier: ~}}}] | f, line 3, column 49: X-Tier has"
            + " no value",
        "routes: [{limit: api, match: {headers: {X-A: a, x-a: b}}}] | f, line 3, column 54: x-a is"
            + " given twice",
        "routes: [{limit: api, match: {method: get}}] | f, line 3, column 39: method must be in"
            + " capitals, such as POST",
        "routes: [{limit: api, match: {host: 'a:80'}}] | f, line 3, column 37: host must be a name"
            + " without a port, such as a.example.com or *.example.com",
        "routes: [{limit: api, match: {headers: {a b: c}}}] | f, line 3, column 46: no header can"
            + " have the name 'a b'"
      })
  void saysWhereAMatchIsWrong(String routes, String message) {
    saysWhereAndWhatIsAllowed(routes, message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "routes: [{limt: api}] | f, line 3, column 11: a route has no key \"limt\"; did you mean"
            + " \"limit\"?",
        "routes: [{limit: api, to: http://u:secret@a}] | f, line 3, column 27: the upstream must"
            + " have no credentials: requests bring them",
        "routes: [{limit: app}] | f, line 3, column 18: there is no limit \"app\"; did you mean"
            + " \"api\"?",
        "routes: [{limit: x}] | f, line 3, column 18: there is no limit \"x\"; allowed: api",
        "routes: [{to: http://a}] | f, line 3, column 10: limit is missing, such as limit: api",
        "routes: [{limit: api, limit: api}] | f, line 3, column 23: limit is given twice",
        "routes: [{limit: api}, {limit: api}] | f, line 3, column 24: no request comes here: the"
            + " route before has no match, so it takes all",
        "routes: [{limit: !!str api}] | f, line 3, column 18: tags are not allowed",
        "routes: !mine [{limit: api}] | f, line 3, column 9: tags are not allowed",
        "routes: [!!map {limit: api}] | f, line 3, column 10: tags are not allowed",
        "routes: [{limit: api, cost: 3000000000}] | f, line 3, column 29: cost must be at most"
            + " 2147483647",
        "routes: [{limit: api, cost: 0}] | f, line 3, column 29: cost must be a whole number of at"
            + " least 1",
        "routes: [{limit: api, cost: many}] | f, line 3, column 29: cost must be a whole number,"
            + " bytes or header:NAME",
        "routes: [{limit: api, class: batsh}] | f, line 3, column 30: class must be interactive,"
            + " batch or header:NAME; did you mean \"batch\"?",
        "routes: [{limit: !!java.net.URL api}] | f, line 3, column 18: tags are not allowed",
        "routes: [{limit: [api]}] | f, line 3, column 18: limit must be one value",
        "routes: {limit: api} | f, line 3, column 9: routes must be a list",
        "routes: [] | f, line 3, column 9: routes is empty",
        "listen: 127.0.0.1:1 | f, line 3, column 9: listen is no part of the file, as it cannot"
            + " change while the proxy runs: give --listen",
        "rutes: [] | f, line 3, column 1: the file has no key \"rutes\"; did you mean \"routes\"?",
        "question: 5 | f, line 3, column 1: the file has no key \"question\"; allowed: to, limits,"
            + " routes",
        "routes: [{limit: api} | f, line 4, column 1: expected ',' or ']', but got <stream end>",
        "--- | f, line 3, column 1: expected a single document in the stream, but found another"
            + " document"
      })
  void saysWhereAndWhatIsAllowed(String routes, String message) {
    assertEquals(
        message, problem(("to: http://a\nlimits: {api: 10/1s}\n" + routes + "\n").getBytes(UTF_8)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "10/x | \"10/x\", column 4: \"x\" has unit \"x\", expected one of ns us ms s m min h d",
        "5/1s of tokens | no request here has a cost of tokens",
        "{key: header:A} | limit is missing, such as limit: 10/1s",
        "{limit: 1/1s, within: 5/1s} | within needs key",
        "{limit: 1/1s, key: A} | key must be header:NAME, such as header:X-Api-Key",
        "{limit: 1/1s, key: header:A, most-keys: 0} | most-keys must be a whole number of at least"
            + " 1",
        "{limit: 1/1s, key: header:A, most-keys: +5} | most-keys must be a whole number of at least"
            + " 1",
        "{limit: 1/1s, key: header:A, most-keys: \u0665} | most-keys must be a whole number of at"
            + " least 1",
        "{limit: 1/1s, keys: header:A} | a limit has no key \"keys\"; did you mean \"key\"?"
      })
  void saysWhatIsWrongWithALimit(String limit, String message) {
    String text = "to: http://a\nlimits:\n  api: " + limit + "\nroutes: [{limit: api}]\n";
    String told = problem(text.getBytes(UTF_8));
    assertTrue(told.startsWith("f, line 3, column "), told);
    assertTrue(told.endsWith(": " + message), told);
  }

  @Test
  void aCostThatTheLimitDoesNotCountIsRefused() {
    String text = GOOD.replace("10/1s", "spacing(1s)").replace("limit: api", "limit: api, cost: 5");
    String told = problem(text.getBytes(UTF_8));
    assertTrue(told.startsWith("f, line 3, column 29: limit api: "), told);
  }

  @Test
  void aCostAboveTheLimitIsRefused() {
    String route = GOOD.replace("limit: api", "limit: api, cost: 11");
    String told = problem(route.getBytes(UTF_8));
    assertTrue(told.startsWith("f, line 3, column 29: limit api: "), told);
    String within = "{limit: 20/1s, key: header:A, within: 10/1s}";
    told = problem(route.replace("10/1s", within).getBytes(UTF_8));
    assertTrue(told.startsWith("f, line 3, column 29: limit api: "), told);
    ProxyFile.parse("f", route.replace("cost: 11", "cost: 10").getBytes(UTF_8));
  }

  @Test
  void aCostMayCountForTheLimitOfAllKeysAlone() {
    String limit =
        "{limit: concurrent(2), key: header:A, within: 'bucket(1000000/1s, burst=9000000)'}";
    String text = GOOD.replace("10/1s", limit).replace("limit: api", "limit: api, cost: bytes");
    assertEquals(1, ProxyFile.parse("f", text.getBytes(UTF_8)).routes().size());
  }

  @Test
  void tellsWhatIsNeverUsed() {
    String text =
        GOOD.replace("10/1s", "10/1s, other: 1/1s")
            .replace(
                "[{limit: api}]",
                "[{match: {path: /a}, limit: api}, {match: {path: /a}, limit: api}]");
    assertEquals(
        List.of(
            "limit other: no route names it",
            "route 2: no request comes here: route 1 takes them all"),
        ProxyFile.parse("f", text.getBytes(UTF_8)).warnings());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "path: /v1/* | path: /v1/x | true",
        "path: /v1/* | path: /v1/x/* | true",
        "path: /* | path: /v1, method: GET | true",
        "path: /v1/* | path: /v1* | false",
        "path: /v1/* | path: /v1 | false",
        "path: /v1 | path: /v1/x | false",
        "path: /* | host: a | false",
        "host: '*.a' | host: b.a, path: /x | true",
        "host: '*.a' | host: '*.b.a' | true",
        "host: '*.b.a' | host: '*.a' | false",
        "host: '*.a' | host: a | false",
        "method: [GET, PUT] | method: PUT | true",
        "method: PUT | method: [GET, PUT] | false",
        "method: PUT | path: /x | false",
        "headers: {X-A: '*'} | headers: {x-a: b, c: d} | true",
        "headers: {X-A: b} | headers: {x-a: '*'} | false",
        "headers: {X-A: b} | headers: {x-a: c} | false"
      })
  void tellsARouteThatAnotherTakesAllRequestsOf(String first, String second, boolean tells) {
    String text =
        GOOD.replace(
            "[{limit: api}]",
            "[{limit: api, match: {%s}}, {limit: api, match: {%s}}]".formatted(first, second));
    assertEquals(
        tells ? List.of("route 2: no request comes here: route 1 takes them all") : List.of(),
        ProxyFile.parse("f", text.getBytes(UTF_8)).warnings());
  }

  @Test
  void aLimitPerKeyHasNoClasses() {
    String text =
        GOOD.replace("10/1s", "{limit: 10/1s, key: header:A}")
            .replace("limit: api", "limit: api, class: batch");
    assertEquals(
        "f, line 3, column 30: a limit per key has no classes: its keys take turns",
        problem(text.getBytes(UTF_8)));
  }

  @Test
  void missingPartsAreNamed() {
    assertEquals("f: the file is empty", problem(new byte[0]));
    assertEquals("f: the file must be in UTF-8", problem(new byte[] {(byte) 0xff}));
    assertEquals(
        "f, line 1, column 1: the file must be keys with values", problem("a".getBytes(UTF_8)));
    assertEquals(
        "f, line 1, column 1: limits is missing, such as limits: {api: 10/1s}",
        problem("to: http://a".getBytes(UTF_8)));
    assertEquals(
        "f, line 2, column 10: to is missing, here or at the top, such as to:"
            + " https://api.example.com",
        problem("limits: {api: 10/1s}\nroutes: [{limit: api}]".getBytes(UTF_8)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"'a b'", "'a,b'", "\"a\\nb\"", ".a", "'a\u00e9'"})
  void aNameOfALimitIsPlain(String name) {
    String told = problem(GOOD.replace("api:", name + ":").getBytes(UTF_8));
    assertTrue(told.startsWith("f, line 2, column "), told);
    assertTrue(
        told.endsWith(
            ": the name of a limit must be letters, digits, dots, hyphens and underscores, at"
                + " most 64"),
        told);
  }

  @Test
  void controlCharactersHaveAPlace() {
    assertEquals(
        "f, line 2, column 10: special characters are not allowed",
        problem(GOOD.replace("api:", "\u0007api:").getBytes(UTF_8)));
  }

  @Test
  void aLimitOfNothingIsNoAdviceForPrograms() {
    String told = problem(GOOD.replace("10/1s", "0/1s").getBytes(UTF_8));
    assertFalse(told.contains("pause()"), told);
    told = problem(GOOD.replace("{api: 10/1s}", "{}").getBytes(UTF_8));
    assertEquals("f, line 2, column 9: limits is empty", told);
  }

  /** The tree is read by recursion, and aliases multiply what is read. */
  @Test
  void depthAliasesAndLengthAreBounded(@TempDir Path folder) throws Exception {
    assertEquals(
        "f, line 1, column 21: more than 20 levels", problem("[".repeat(200_000).getBytes(UTF_8)));
    String aliases = GOOD + "x: &x [a]\ny: [" + "*x,".repeat(60) + "]\n";
    assertTrue(
        problem(aliases.getBytes(UTF_8)).contains("aliases"), problem(aliases.getBytes(UTF_8)));
    assertTrue(problem("a: &a [*a]".getBytes(UTF_8)).startsWith("f, line 1, column "));
    Path large = Files.write(folder.resolve("large"), new byte[256 * 1024 + 1]);
    assertThrows(IllegalArgumentException.class, () -> ProxyFile.bytes(large));
  }

  @Test
  void aRouteShowsNoValueOfAHeader() {
    String text =
        GOOD.replace(
            "limit: api",
            "limit: api, cost: header:X-Cost, class: header:X-Class,"
                + " match: {method: POST, host: b, path: /c*, headers: {X-Key: secret}}");
    String shown = ProxyFile.parse("f", text.getBytes(UTF_8)).routes().get(0).toString();
    assertEquals("POST b/c* with X-Key -> a, limit api, cost by X-Cost, class by X-Class", shown);
    assertFalse(shown.contains("secret"), shown);
  }
}
