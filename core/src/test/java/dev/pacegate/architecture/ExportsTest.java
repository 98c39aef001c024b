package dev.pacegate.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What programs see mentions nothing that they do not see: javac's own check of this is off, as it
 * minds JSpecify's annotations.
 */
@AnalyzeClasses(packages = "dev.pacegate", importOptions = ArchitectureTest.NoTests.class)
class ExportsTest {

  private static final Set<String> EXPORTED = PublicTypes.packages();

  @ArchTest
  static final ArchRule nothingHiddenIsMentioned =
      codeUnits()
          .should(
              new ArchCondition<JavaCodeUnit>("mention only what is exported") {
                @Override
                public void check(JavaCodeUnit unit, ConditionEvents events) {
                  boolean seen =
                      isSeen(unit.getOwner())
                          && (unit.getModifiers().contains(JavaModifier.PUBLIC)
                              || unit.getModifiers().contains(JavaModifier.PROTECTED));
                  for (JavaClass type : seen ? mentioned(unit) : List.<JavaClass>of()) {
                    if (type.getPackageName().startsWith("dev.pacegate") && !isSeen(type)) {
                      events.add(
                          SimpleConditionEvent.violated(unit, unit.getFullName() + ": " + type));
                    }
                  }
                }
              });

  private static List<JavaClass> mentioned(JavaCodeUnit unit) {
    var types = new ArrayList<>(unit.getAllInvolvedRawTypes());
    types.addAll(unit.getExceptionTypes());
    return types.stream().map(JavaClass::getBaseComponentType).toList();
  }

  private static boolean isSeen(JavaClass type) {
    boolean exported = EXPORTED.contains(type.getPackageName());
    return exported
        && type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(ExportsTest::isSeen).orElse(true);
  }
}
