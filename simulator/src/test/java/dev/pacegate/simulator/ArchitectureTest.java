package dev.pacegate.simulator;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The simulator sees core and its YAML library; its peers see nothing of the meters. */
@AnalyzeClasses(packages = "dev.pacegate", importOptions = ArchitectureTest.NoTests.class)
class ArchitectureTest {

  private static final String HERE = "dev.pacegate.simulator..";
  private static final String DRAWING = "dev.pacegate.simulator.drawing..";
  private static final String ESTIMATE = "dev.pacegate.simulator.estimate..";

  @ArchTest
  static final ArchRule seesCoreAndTheYamlLibrary =
      classes()
          .that()
          .resideInAPackage("dev.pacegate.simulator")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "dev.pacegate.simulator",
              DRAWING,
              "java..",
              "org.jspecify..",
              "org.snakeyaml.engine..",
              "dev.pacegate",
              "dev.pacegate.limit..",
              "dev.pacegate.time..");

  @ArchTest
  static final ArchRule drawingSeesOnlyXml =
      classes()
          .that()
          .resideInAPackage(DRAWING)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(DRAWING, "java..", "javax.xml.stream..", "org.jspecify..");

  /** What judges a log by an estimate is independent of the peers that make one. */
  @ArchTest
  static final ArchRule estimateSeesOnlyTheAuditAndValues =
      classes()
          .that()
          .resideInAPackage(ESTIMATE)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              ESTIMATE,
              "java..",
              "org.jspecify..",
              "dev.pacegate.audit",
              "dev.pacegate.limit",
              "dev.pacegate.time");

  @ArchTest
  static final ArchRule nothingElseSeesIt =
      noClasses()
          .that()
          .resideOutsideOfPackage(HERE)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(HERE);

  /** Of limits a peer knows rates, which are values. */
  @ArchTest
  static final ArchRule peersAreIndependentOfTheMeters =
      noClasses()
          .that()
          .haveNameMatching("dev\\.pacegate\\.simulator\\.(\\w*Counter|PeerServer)")
          .should()
          .dependOnClassesThat(isOfTheMeters());

  private static com.tngtech.archunit.base.DescribedPredicate<JavaClass> isOfTheMeters() {
    return com.tngtech.archunit.base.DescribedPredicate.describe(
        "are of dev.pacegate.limit, but for Rate",
        type ->
            type.getPackageName().startsWith("dev.pacegate.limit")
                && !type.getSimpleName().equals("Rate"));
  }

  /** ArchUnit's own option knows only {@code target/test-classes}, not other build folders. */
  static final class NoTests implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("/test-classes/");
    }
  }
}
