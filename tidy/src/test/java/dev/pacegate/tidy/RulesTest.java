package dev.pacegate.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each rule is red on a planted offence, and green beside it. */
class RulesTest {

  private static final String MAIN = "core/src/main/java/dev/pacegate/";
  private static final String TEST = "core/src/test/java/dev/pacegate/";

  private static Sources sources(String... pathsAndTexts) {
    var texts = new LinkedHashMap<String, String>();
    for (int i = 0; i < pathsAndTexts.length; i += 2) {
      texts.put(pathsAndTexts[i], pathsAndTexts[i + 1]);
    }
    return Sources.of(texts);
  }

  /** Checks that there is one line, which begins with a place and tells an offence. */
  private static void assertRed(String place, String told, List<String> red) {
    assertEquals(1, red.size(), red::toString);
    assertTrue(red.get(0).startsWith(place + ": "), red::toString);
    assertTrue(red.get(0).contains(told), red::toString);
  }

  private static void assertGreen(List<String> red) {
    assertEquals(List.of(), red);
  }

  private static String method(int lines) {
    return "class A {\n  /** Javadoc\n does not count. */\n  @Deprecated\n  void a() {\n"
        + "    // line\n".repeat(lines - 3)
        + "  }\n}\n";
  }

  @Test
  void aLongMethodIsRed() {
    assertGreen(MethodLength.judge(sources(MAIN + "A.java", method(70)), AllowList.none()));
    assertRed(
        MAIN + "A.java:4",
        "A.a has 71 lines",
        MethodLength.judge(sources(MAIN + "A.java", method(71)), AllowList.none()));
  }

  @Test
  void aConstructorIsAMethod() {
    String text = method(71).replace("void a()", "A()");
    assertRed(
        TEST + "A.java:4",
        "A.<init> has 71 lines",
        MethodLength.judge(sources(TEST + "A.java", text), AllowList.none()));
  }

  @Test
  void aStaleEntryOfAListIsRed() {
    AllowList list = AllowList.of("list.txt", "# why\n\na | reason\nb/ | reason\nc\n");
    Map<String, String> offences = Map.of("a", "a:1: bad", "b/x", "b/x:1: bad");
    assertRed("tidy/allowed/list.txt:1", "c is no offence any more", list.judge(offences));
    assertRed("tidy/allowed/list.txt:1", "c has no reason", list.unexplained());
    assertRed("d:1", "bad", AllowList.none().judge(Map.of("d", "d:1: bad")));
  }

  private static List<String> clocks(String path, String code) {
    String text = "package dev.pacegate.a;\n" + code;
    return ClockReads.judge(sources(path, text), AllowList.none());
  }

  @Test
  void aClockReadIsRed() {
    for (String read :
        List.of(
            "System.nanoTime()",
            "java.lang.System.currentTimeMillis()",
            "Instant.now()",
            "Clock.systemUTC()",
            "InstantSource.system()",
            "LocalDate.now(zone)",
            "ZonedDateTime.now()",
            "new Date()")) {
      String name =
          read.replaceFirst("java.lang.", "").replaceFirst("\\w*\\)$", "").replace("(", "");
      assertRed(
          MAIN + "a/A.java:2",
          name + (read.startsWith("new") ? "()" : "") + " reads a clock",
          clocks(MAIN + "a/A.java", "class A { Object a = " + read + "; }"));
    }
    assertGreen(clocks(MAIN + "a/A.java", "class A { long a = time.nanoTime(); }"));
    assertGreen(clocks(TEST + "a/A.java", "class A { long a = System.nanoTime(); }"));
  }

  @Test
  void aClockReadIsRedAsAReferenceAndAsAnImport() {
    assertRed(
        MAIN + "a/A.java:3",
        "Instant.now reads",
        clocks(MAIN + "a/A.java", "class A {\n  Supplier<Instant> a = Instant::now;\n}"));
    assertRed(
        MAIN + "a/A.java:2",
        "System.nanoTime reads",
        clocks(MAIN + "a/A.java", "import static java.lang.System.nanoTime;\nclass A {}"));
    assertRed(
        "kotlin/src/main/kotlin/A.kt:2",
        "System.nanoTime reads",
        clocks("kotlin/src/main/kotlin/A.kt", "fun a() = System.nanoTime()"));
  }

  @Test
  void theTimePackageMayReadAClock() {
    String text = "package dev.pacegate.time;\nclass A { long a = System.nanoTime(); }";
    assertGreen(ClockReads.judge(sources(MAIN + "time/A.java", text), AllowList.none()));
  }

  @Test
  void aSharedNameIsRed() {
    Set<String> published = SharedNames.published("<modules><module>core</module></modules>");
    Sources two =
        sources(MAIN + "a/A.java", "class A {}", MAIN + "b/B.java", "class B { enum A {} }");
    assertRed(
        MAIN + "a/A.java:1",
        "A is the name of 2 types",
        SharedNames.judge(two, published, AllowList.none()));
    assertGreen(SharedNames.judge(two, published, AllowList.of("names.txt", "A 2")));
    assertEquals(2, SharedNames.judge(two, published, AllowList.of("names.txt", "A 3")).size());
    assertGreen(SharedNames.judge(two, Set.of("http"), AllowList.none()));
  }

  private static List<String> unused(String... pathsAndTexts) {
    return UnusedFiles.judge(sources(pathsAndTexts), AllowList.none());
  }

  @Test
  void anUnusedTypeIsRed() {
    String user = "class ATest { @Test void a() { new A(); } }";
    assertGreen(unused(MAIN + "A.java", "class A {}", TEST + "ATest.java", user));
    assertRed(
        MAIN + "A.java:1",
        "no other file names it",
        unused(MAIN + "A.java", "class A {}", "docs.md", "`A`"));
    String comment = user.replace("new A();", "/* A */ // A");
    assertRed(
        MAIN + "A.java:1",
        "no other file names it",
        unused(MAIN + "A.java", "class A {}", TEST + "ATest.java", comment + "\n"));
    assertRed(
        MAIN + "A.java:1",
        "no other file names it",
        unused(MAIN + "A.java", "package a.b;\nclass A {}", TEST + "ATest.java", user));
    assertRed(TEST + "B.java:1", "no other file names it", unused(TEST + "B.java", "class B {}"));
    assertGreen(unused("benchmarks/src/main/java/C.java", "class C { @Benchmark void a() {} }"));
  }

  @Test
  void anUnusedPageOrScriptIsRed() {
    for (String path :
        List.of("docs/a.md", "docs/a.svg", "core/run", "core/src/main/resources/a.b")) {
      String named = path.equals("core/run") ? path : path.replaceFirst(".*/", "");
      assertRed(path + ":1", "no other file names it", unused(path, "", "README.md", "run a"));
      assertGreen(unused(path, "", "README.md", "[it](" + named + ")"));
    }
    String resource = "core/src/main/resources/META-INF/services/a";
    assertGreen(unused(resource, "", "redis/a.lua", "", "A.java", "class A { String a = \"a\"; }"));
  }

  @Test
  void aCaseThatIsNotListedIsRed() {
    String cases = "# FT: a source\nFT-9 | a case\nFT-10 |\n";
    String test = "/** FT-9. */\nclass A {} // %s";
    for (String unknown : List.of("FT-10", "FT-90", "X-9")) {
      assertRed(
          TEST + "A.java:2",
          unknown + " is no case",
          CitedCases.judge(
              sources(CitedCases.CASES, cases, TEST + "A.java", test.formatted(unknown))));
    }
    assertGreen(CitedCases.judge(sources(CitedCases.CASES, cases, TEST + "A.java", test)));
  }

  @Test
  void aTestNamedByACodeIsRed() {
    for (String name : List.of("r07Foo", "t3b", "a1", "nt2Stop", "case12", "ft12_Foo")) {
      assertRed(TEST + "A.java:1", "is a code", names("class A { @Test void " + name + "() {} }"));
    }
    assertGreen(names("class A { @Test void nAtOnceLeaveTheStateOfNOnes() {} }"));
    assertGreen(names("class A { void h2() {} }"));
    assertGreen(names("class A { @Test void h2StreamsAreCounted() {} }"));
  }

  private static List<String> names(String text) {
    return TestNames.judge(sources(TEST + "A.java", text));
  }

  @Test
  void aTestWithoutASubjectIsRed() {
    String text =
        "class A {\n  @ParameterizedTest(name = \"{0}\")\n  void whoWaitsGoes(int a) {}\n}";
    assertRed(TEST + "A.java:2", "no subject", names(text));
    assertRed(TEST + "A.java:1", "no subject", names("class A { @Test void whatIsIt() {} }"));
    String kotlin = "class A {\n    @Test\n    fun `what waits goes`() {}\n}";
    assertRed(
        "kotlin/src/test/kotlin/A.kt:3",
        "no subject",
        TestNames.judge(sources("kotlin/src/test/kotlin/A.kt", kotlin)));
  }

  @Test
  void aTestThatAssertsNothingIsRed() {
    for (String body : List.of("", "run();", "time.advance();", "other();", "Other.idle();")) {
      String text = "class A { @Test void a() { " + body + " } void other() {} }";
      assertRed(TEST + "A.java:1", "a asserts nothing", assertions(text, ""));
    }
  }

  @Test
  void aTestThatAssertsIsGreen() {
    String helper =
        "class Other { static void checks() { throw new AssertionError(); } Other mine() {} }";
    for (String body :
        List.of(
            "assertEquals(1, 1);",
            "Assertions.fail();",
            "list.forEach(this::own);",
            "StepVerifier.create(a).expectNext(1).verifyComplete();",
            "LinChecker.check(A.class);",
            "throw new SkipException(why);",
            "run(super::a);",
            "Other.checks();",
            "new Other().checks();")) {
      String text =
          "class A { @Test void a() { " + body + " } void own(int a) { assertTrue(a > 0); } }";
      assertGreen(assertions(text, helper));
    }
    assertGreen(
        assertions(
            "class A extends Base { @Test void a() { inherited(); } }",
            "class Base { void inherited() { then(); } void then() { assertNull(a); } }"));
  }

  private static List<String> assertions(String text, String helper) {
    String name = helper.contains("class Base") ? "Base.java" : "Other.java";
    return Assertions.judge(sources(TEST + "A.java", text, TEST + name, helper));
  }

  @Test
  void aLongFileIsRed() {
    String code = "class A {\n" + "  int a;\n".repeat(349) + "}\n";
    assertGreen(FileSize.judge(sources(MAIN + "A.java", code + "// line\n".repeat(200))));
    String more = code.replaceFirst("int a;", "int a;\n  int b;");
    assertGreen(FileSize.judge(sources(MAIN + "A.java", more)));
    assertRed(
        MAIN + "A.java:1",
        "351 of code",
        FileSize.judge(sources(MAIN + "A.java", more + "// line\n".repeat(200))));
  }

  @Test
  void aLargeFirstPackageIsRed() {
    var texts = new LinkedHashMap<String, String>();
    texts.put(MAIN + "a/A.java", "class A {}");
    for (int i = 1; i <= 32; i++) {
      texts.put(MAIN + "A" + i + ".java", "class A" + i + " {}");
    }
    assertGreen(FileSize.judge(Sources.of(texts)));
    texts.put(MAIN + "B.java", "class B {}");
    assertRed(MAIN + "package-info.java:1", "33 files", FileSize.judge(Sources.of(texts)));
  }
}
