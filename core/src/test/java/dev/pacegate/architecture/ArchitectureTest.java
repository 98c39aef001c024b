package dev.pacegate.architecture;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Limiters;
import dev.pacegate.result.StageEnd;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** The packages are layers, and arrows point down only: ARCHITECTURE.md, Packages. */
@AnalyzeClasses(packages = "dev.pacegate", importOptions = ArchitectureTest.NoTests.class)
class ArchitectureTest {
  private static final String ROOT = "dev.pacegate";
  private static final String LIMIT = "dev.pacegate.limit..";
  private static final String ENGINE = "dev.pacegate.engine..";
  private static final String REPORT = "dev.pacegate.engine.report..";
  private static final String COST = "dev.pacegate.engine.cost..";
  private static final String VISIT = "dev.pacegate.engine.visit..";
  private static final String SOURCE = "dev.pacegate.engine.source..";
  private static final String KEYS = "dev.pacegate.engine.keys..";
  private static final String REPORTS = "dev.pacegate.engine.feedback..";
  private static final String CONFIG = "dev.pacegate.config..";
  private static final String GATE = "dev.pacegate.gate..";
  private static final String THREAD = "dev.pacegate.thread..";
  private static final String RESULT = "dev.pacegate.result..";
  private static final String CONTEXT = "dev.pacegate.context..";
  private static final String TIME = "dev.pacegate.time..";
  private static final String HISTORY = "dev.pacegate.history..";
  private static final String STATE = "dev.pacegate.state..";
  private static final String DISPATCH = "dev.pacegate.dispatch..";
  private static final String FEEDBACK = "dev.pacegate.feedback..";
  private static final String ADAPTER = "dev.pacegate.adapter..";
  private static final String FLIGHT = "dev.pacegate.flight..";
  private static final String AUDIT = "dev.pacegate.audit..";

  @ArchTest static final ArchRule gateStandsAlone = seesOnly(GATE);

  @ArchTest static final ArchRule threadStandsAlone = seesOnly(THREAD);

  @ArchTest static final ArchRule contextStandsAlone = seesOnly(CONTEXT);

  @ArchTest
  static final ArchRule resultSeesOnlyRootLimitAndContext = seesOnly(RESULT, ROOT, LIMIT, CONTEXT);

  @ArchTest static final ArchRule timeSeesOnlyTheGateAndThreads = seesOnly(TIME, GATE, THREAD);

  @ArchTest static final ArchRule limitSeesOnlyTime = seesOnly(LIMIT, TIME);

  @ArchTest static final ArchRule historySeesOnlyLimit = seesOnly(HISTORY, LIMIT);

  @ArchTest
  static final ArchRule stateSeesOnlyLimitHistoryAndTime = seesOnly(STATE, LIMIT, HISTORY, TIME);

  @ArchTest
  static final ArchRule rootSeesNothingAboveIt =
      seesOnly(ROOT, ENGINE, CONFIG, LIMIT, TIME, STATE, RESULT, CONTEXT, THREAD);

  @ArchTest
  static final ArchRule onlyLimitersSeeTheEngine =
      noClasses()
          .that()
          .resideOutsideOfPackage(ENGINE)
          .and()
          .doNotBelongToAnyOf(Limiter.class, KeyedLimiter.class)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(ENGINE);

  @ArchTest
  static final ArchRule engineSeesOnlyWhatIsBelow =
      seesOnly(ENGINE, ROOT, LIMIT, TIME, THREAD, GATE, HISTORY, STATE, RESULT, FLIGHT);

  /** The ground of the engine sees nothing of it. */
  @ArchTest
  static final ArchRule reportSeesOnlyWhatIsBelow = seesOnly(REPORT, ROOT, LIMIT, TIME, FLIGHT);

  @ArchTest
  static final ArchRule costSeesOnlyWhatIsBelow = seesOnly(COST, REPORT, ROOT, LIMIT, TIME);

  @ArchTest
  static final ArchRule visitSeesOnlyReportTimeAndThreads = seesOnly(VISIT, REPORT, TIME, THREAD);

  /** Keys, sources and feedback stand on the roof of the engine, which works without them. */
  @ArchTest
  static final ArchRule engineSeesNothingOnItsRoof =
      noneOf("dev.pacegate.engine", SOURCE, KEYS, REPORTS);

  @ArchTest static final ArchRule sourceSeesNothingElseOnTheRoof = noneOf(SOURCE, KEYS, REPORTS);

  @ArchTest static final ArchRule feedbackSeesNothingElseOnTheRoof = noneOf(REPORTS, KEYS, SOURCE);

  @ArchTest static final ArchRule keysSeeNoFeedback = noneOf(KEYS, REPORTS);

  /** Of the root these see values, exceptions and the listener. */
  @ArchTest
  static final ArchRule nothingBelowSeesALimiter =
      noClasses()
          .that()
          .resideInAnyPackage(ENGINE, CONFIG, RESULT)
          .should()
          .dependOnClassesThat()
          .belongToAnyOf(Limiter.class, KeyedLimiter.class, Limiters.class);

  @ArchTest
  static final ArchRule configSeesOnlyRootLimitAndTime = seesOnly(CONFIG, ROOT, LIMIT, TIME);

  @ArchTest
  static final ArchRule onlyLimitersSeeConfig =
      noClasses()
          .that()
          .resideOutsideOfPackage(CONFIG)
          .and()
          .doNotBelongToAnyOf(Limiters.class)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(CONFIG);

  @ArchTest
  static final ArchRule dispatchSeesOnlyWhatIsBelow =
      seesOnly(DISPATCH, ROOT, LIMIT, RESULT, CONTEXT, TIME, THREAD);

  @ArchTest
  static final ArchRule feedbackSeesOnlyRootLimitAndTime = seesOnly(FEEDBACK, ROOT, LIMIT, TIME);

  @ArchTest
  static final ArchRule adapterSeesOnlyWhatIsBelow =
      seesOnly(ADAPTER, ROOT, FEEDBACK, LIMIT, RESULT, CONTEXT, TIME);

  /** A stage that is no future of ours may do anything: only one class knows what to expect. */
  @ArchTest
  static final ArchRule onlyStageEndListensToStages =
      noClasses()
          .that()
          .doNotBelongToAnyOf(StageEnd.class)
          .should()
          .callMethodWhere(target(owner(type(CompletionStage.class))));

  /** The audit is independent of the limiters it judges. */
  @ArchTest static final ArchRule auditSeesOnlyLimitAndTime = seesOnly(AUDIT, LIMIT, TIME);

  @ArchTest
  static final ArchRule nothingElseSeesAudit =
      noClasses()
          .that()
          .resideOutsideOfPackage(AUDIT)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(AUDIT);

  @ArchTest static final ArchRule flightSeesOnlyFlightRecorder = seesOnly(FLIGHT, "jdk.jfr..");

  @ArchTest
  static final ArchRule onlyTheEngineSeesFlight =
      noClasses()
          .that()
          .resideOutsideOfPackages(ENGINE, FLIGHT)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(FLIGHT);

  /** A program need not have Flight Recorder: only what is loaded by need may see it. */
  @ArchTest
  static final ArchRule nothingButJdkAndJspecifyIsNeeded = seesOnly("dev.pacegate..", "jdk.jfr..");

  @ArchTest
  static final ArchRule onlyFlightSeesFlightRecorder =
      noClasses()
          .that()
          .resideOutsideOfPackage(FLIGHT)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("jdk.jfr..");

  /**
   * The classes of one package see themselves, the JDK, JSpecify's annotations and {@code others}.
   */
  private static ArchRule seesOnly(String itself, String... others) {
    var seen = Stream.concat(Stream.of(itself, "java..", "org.jspecify.."), Stream.of(others));
    return classes()
        .that()
        .resideInAPackage(itself)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(seen.toArray(String[]::new));
  }

  /** The classes of one package see nothing of {@code others}. */
  private static ArchRule noneOf(String itself, String... others) {
    return noClasses()
        .that()
        .resideInAPackage(itself)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(others);
  }

  /** ArchUnit's own option knows only {@code target/test-classes}, not other build folders. */
  static final class NoTests implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("/test-classes/");
    }
  }
}
