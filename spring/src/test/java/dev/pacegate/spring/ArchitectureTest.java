package dev.pacegate.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What the starter sees: ARCHITECTURE.md, Packages. */
@AnalyzeClasses(packages = "dev.pacegate.spring", importOptions = ArchitectureTest.NoTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule seesAdaptersAndSpring =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "dev.pacegate.spring",
              "dev.pacegate",
              "dev.pacegate.context",
              "dev.pacegate.limit",
              "dev.pacegate.limit.spi",
              "dev.pacegate.time",
              "dev.pacegate.adapter",
              "dev.pacegate.http",
              "dev.pacegate.redis",
              "dev.pacegate.micrometer",
              "io.micrometer.core.instrument..",
              "java..",
              "org.aopalliance..",
              "org.jspecify..",
              "org.reactivestreams",
              "org.springframework..",
              "reactor.core..");

  /** They differ between the lines of Boot. */
  @ArchTest
  static final ArchRule usesNoCustomizer =
      noClasses().should().dependOnClassesThat().haveSimpleNameEndingWith("Customizer");

  /** So are the types of health; the classes for the other line are not loaded. */
  @ArchTest
  static final ArchRule usesTheHealthOfBoot3InItsOwnClasses =
      noClasses()
          .that()
          .haveSimpleNameNotContaining("Boot3")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.springframework.boot.actuate.health..",
              "org.springframework.boot.actuate.autoconfigure.health..");

  @ArchTest
  static final ArchRule usesTheHealthOfBoot4InItsOwnClasses =
      noClasses()
          .that()
          .haveSimpleNameNotContaining("Boot4")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.springframework.boot.health..");

  @ArchTest
  static final ArchRule onlyOneClassNeedsRedis =
      noClasses()
          .that()
          .doNotHaveSimpleName("RedisMaker")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.pacegate.redis");

  /** ArchUnit's own option knows only {@code target/test-classes}, not other build folders. */
  static final class NoTests implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("/test-classes/");
    }
  }
}
