package dev.pacegate.redis.rig;

import java.io.File;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;

/** The class path of this test, for another JVM. */
final class ClassPath {

  private ClassPath() {}

  /**
   * Returns all that this JVM reads classes from. Surefire gives some of it as a module path,
   * patches the test classes into a module, or names the class path in a property of its own.
   */
  static String ofThisTest() {
    Set<String> entries = new LinkedHashSet<>();
    entries.add(Folders.testClasses().toString());
    for (String property :
        new String[] {"jdk.module.path", "surefire.test.class.path", "java.class.path"}) {
      Arrays.stream(System.getProperty(property, "").split(File.pathSeparator, -1))
          .filter(entry -> !entry.isEmpty())
          .forEach(entries::add);
    }
    return String.join(File.pathSeparator, entries);
  }
}
