package dev.pacegate.proxy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The proxy sees the core and nothing else of ours: ARCHITECTURE.md, Packages. */
@AnalyzeClasses(packages = "dev.pacegate.proxy", importOptions = ArchitectureTest.NoTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule seesOnlyTheCore =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "dev.pacegate.proxy",
              "dev.pacegate",
              "dev.pacegate.adapter",
              "java..",
              "javax.net.ssl",
              "dev.pacegate.limit",
              "dev.pacegate.time",
              "io.vertx..",
              "io.netty..",
              "org.jspecify..",
              "org.snakeyaml.engine..");

  /** ArchUnit's own option knows only {@code target/test-classes}, not other build folders. */
  static final class NoTests implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("/test-classes/");
    }
  }
}
