package dev.pacegate.tidy;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.MethodTree;
import java.util.Set;

/** Knows which methods JUnit runs as tests. */
final class TestMethods {

  private static final Set<String> ANNOTATIONS =
      Set.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate");

  private TestMethods() {}

  static boolean isTest(MethodTree method) {
    for (AnnotationTree annotation : method.getModifiers().getAnnotations()) {
      String name = annotation.getAnnotationType().toString();
      if (ANNOTATIONS.contains(name.substring(name.lastIndexOf('.') + 1))) {
        return true;
      }
    }
    return false;
  }
}
