package dev.pacegate.redis;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** An adapter sees the core and nothing else of ours: ARCHITECTURE.md, Packages. */
@AnalyzeClasses(packages = "dev.pacegate.redis", importOptions = ArchitectureTest.NoTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule seesOnlyTheCore =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "dev.pacegate.redis",
              "dev.pacegate",
              "dev.pacegate.context",
              "dev.pacegate.limit",
              "dev.pacegate.time",
              "dev.pacegate.limit.spi",
              "io.lettuce.core..",
              "io.netty.channel",
              "io.netty.util.concurrent",
              "reactor.core..",
              "java..",
              "javax.crypto..",
              "org.jspecify..");

  /** ArchUnit's own option knows only {@code target/test-classes}, not other build folders. */
  static final class NoTests implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("/test-classes/");
    }
  }
}
