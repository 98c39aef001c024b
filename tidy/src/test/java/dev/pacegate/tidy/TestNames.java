package dev.pacegate.tidy;

import com.sun.source.tree.MethodTree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a test is a sentence with a subject that tells the behaviour: no code of a case, and
 * no "what" or "who" in place of a subject.
 */
final class TestNames {

  /** Names with digits, such as that of a protocol, are no codes. */
  private static final Pattern CODE =
      Pattern.compile(
          "(?!(?:h[23]|ipv[46]|md5|utf8)[A-Z])(?:case|test|no|nr)?[a-z]{0,3}\\d+[a-z]?(?:[A-Z_ ].*)?");

  private static final Pattern PRONOUN = Pattern.compile("(?:what|who)(?:ever)?[A-Z ].*");

  private static final Pattern KOTLIN =
      Pattern.compile(
          "@(?:Parameterized|Repeated)?Test\\b[^\\n]*\\n(?:\\s*@.*\\n)*\\s*fun (?:`([^`]+)`|(\\w+))");

  private TestNames() {}

  static List<String> judge(Sources sources) {
    var red = new ArrayList<String>();
    for (SourceFile file : sources.java()) {
      if (file.isTest()) {
        new Scanner(file, red).scan(file.unit(), null);
      }
    }
    sources
        .texts()
        .forEach(
            (path, text) -> {
              if (path.endsWith(".kt") && path.contains("/src/test/")) {
                kotlin(path, text, red);
              }
            });
    return red;
  }

  private static void kotlin(String path, String text, List<String> red) {
    Matcher test = KOTLIN.matcher(text);
    while (test.find()) {
      String name = test.group(1) == null ? test.group(2) : test.group(1);
      long line = text.substring(0, test.end()).lines().count();
      check(path + ":" + line + ": ", name, red);
    }
  }

  private static void check(String at, String name, List<String> red) {
    if (CODE.matcher(name).matches()) {
      red.add(at + name + " is a code: name the behaviour, and give the code in a comment");
    } else if (PRONOUN.matcher(name).matches()) {
      red.add(at + name + " has no subject: name what behaves so instead of \"what\" or \"who\"");
    }
  }

  private static final class Scanner extends TreeScanner<Void, Void> {
    private final SourceFile file;
    private final List<String> red;

    Scanner(SourceFile file, List<String> red) {
      this.file = file;
      this.red = red;
    }

    @Override
    public Void visitMethod(MethodTree method, Void none) {
      if (TestMethods.isTest(method)) {
        check(file.at(method), method.getName().toString(), red);
      }
      return super.visitMethod(method, null);
    }
  }
}
