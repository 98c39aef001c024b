package dev.pacegate.reactive;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** An adapter sees the core and nothing else of ours: ARCHITECTURE.md, Packages. */
@AnalyzeClasses(packages = "dev.pacegate.reactive", importOptions = ArchitectureTest.NoTests.class)
class ArchitectureTest {

  private static final String OF_REACTOR = "dev\\.pacegate\\.reactive\\.ReactorContext.*";

  @ArchTest
  static final ArchRule seesOnlyTheCore =
      classes()
          .that()
          .haveNameNotMatching(OF_REACTOR)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "dev.pacegate.reactive",
              "dev.pacegate",
              "dev.pacegate.limit",
              "dev.pacegate.time",
              "java..",
              "org.reactivestreams..",
              "org.jspecify..");

  /** ArchUnit's own option knows only {@code target/test-classes}, not other build folders. */
  static final class NoTests implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("/test-classes/");
    }
  }
}
