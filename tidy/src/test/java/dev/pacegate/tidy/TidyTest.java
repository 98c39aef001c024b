package dev.pacegate.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The rules of the repository that no compiler checks. The class of a rule says what it asks. */
@Tag("pages")
class TidyTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** Read and parsed once for all rules. */
  private static final Sources SOURCES = Sources.below(ROOT);

  /** Reads a list, which may only shrink: lower {@code most} when an entry is gone. */
  private static AllowList allowed(String name, int most) throws IOException {
    var list = AllowList.of(name, Files.readString(ROOT.resolve(AllowList.FOLDER + name)));
    assertTrue(list.reasons().size() <= most, () -> name + " has grown: at most " + most);
    return list;
  }

  private static void assertTidy(List<String> red) {
    assertEquals("", String.join("\n", red));
  }

  @Test
  void theWholeRepositoryIsRead() {
    assertTrue(SOURCES.java().size() > 1000, () -> SOURCES.java().size() + " files");
    assertTrue(SOURCES.texts().containsKey("README.md"));
  }

  @Test
  void methodsAreShort() {
    assertTidy(MethodLength.judge(SOURCES, AllowList.none()));
  }

  @Test
  void filesAreShort() {
    assertTidy(FileSize.judge(SOURCES));
  }

  @Test
  void onlyTheTimePackageReadsAClock() throws IOException {
    assertTidy(ClockReads.judge(SOURCES, allowed("clock-reads.txt", 23)));
  }

  @Test
  void typesHaveNamesOfTheirOwn() throws IOException {
    Set<String> published = SharedNames.published(Files.readString(ROOT.resolve("pom.xml")));
    assertTrue(published.contains("core"), published::toString);
    assertTidy(SharedNames.judge(SOURCES, published, allowed("shared-names.txt", 54)));
  }

  @Test
  void filesAreUsed() throws IOException {
    assertTidy(UnusedFiles.judge(SOURCES, allowed("unused-files.txt", 1)));
  }

  @Test
  void namesOfTestsTellTheBehaviour() {
    assertTidy(TestNames.judge(SOURCES));
  }

  @Test
  void casesThatTestsCiteAreKnown() {
    assertTrue(SOURCES.texts().containsKey(CitedCases.CASES));
    assertTidy(CitedCases.judge(SOURCES));
  }

  @Test
  void testsAssert() {
    assertTidy(Assertions.judge(SOURCES));
  }

  @Test
  void stepsHaveBudgets() throws IOException {
    String steps = Files.readString(ROOT.resolve(".ci/steps"));
    assertTidy(CiSteps.judge(steps, Files.readString(ROOT.resolve(".ci/run"))));
  }
}
