package dev.pacegate.tidy;

import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Only {@code dev.pacegate.time} reads a clock; other main code is told the time. A file on the
 * list has a reason to read one.
 */
final class ClockReads {

  private static final String PACKAGE = "dev.pacegate.time";

  private static final Pattern READ =
      Pattern.compile(
          "(?:.*\\.)?(System\\.(?:nanoTime|currentTimeMillis)"
              + "|Clock\\.(?:system|tick)\\w*"
              + "|InstantSource\\.system"
              + "|Calendar\\.getInstance"
              + "|(?:Instant|(?:Local|Zoned|Offset)\\w+|Year|YearMonth|MonthDay)\\.now)");

  private static final Pattern KOTLIN =
      Pattern.compile(
          "\\b(System\\.(?:nanoTime|currentTimeMillis)|Clock\\.(?:System|system|tick)\\w*"
              + "|TimeSource\\.Monotonic|measureTime\\w*|measureNanoTime|measureTimeMillis"
              + "|\\w*(?:Instant|Date|Time)\\.now)\\b");

  private ClockReads() {}

  static List<String> judge(Sources sources, AllowList allowed) {
    var offences = new LinkedHashMap<String, String>();
    for (SourceFile file : sources.java()) {
      if (file.isMain() && !file.packageName().equals(PACKAGE)) {
        new Scanner(file, offences).scan(file.unit(), null);
      }
    }
    sources.texts().forEach((path, text) -> kotlin(path, text, offences));
    var red = new ArrayList<>(allowed.judge(offences));
    red.addAll(allowed.unexplained());
    return red;
  }

  private static void kotlin(String path, String text, Map<String, String> offences) {
    if (!path.endsWith(".kt") || !path.contains("/src/main/")) {
      return;
    }
    List<String> lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      Matcher read = KOTLIN.matcher(lines.get(i));
      if (read.find()) {
        offences.putIfAbsent(path, path + ":" + (i + 1) + ": " + told(read.group(1)));
      }
    }
  }

  private static String told(String read) {
    return read + " reads a clock outside " + PACKAGE + ": take the time as an argument or a Time";
  }

  private static final class Scanner extends TreeScanner<Void, Void> {
    private final SourceFile file;
    private final Map<String, String> offences;

    Scanner(SourceFile file, Map<String, String> offences) {
      this.file = file;
      this.offences = offences;
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree call, Void none) {
      if (call.getMethodSelect() instanceof MemberSelectTree select) {
        check(call, select.getExpression() + "." + select.getIdentifier());
      }
      return super.visitMethodInvocation(call, null);
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree reference, Void none) {
      check(reference, reference.getQualifierExpression() + "." + reference.getName());
      return super.visitMemberReference(reference, null);
    }

    @Override
    public Void visitImport(ImportTree imported, Void none) {
      if (imported.isStatic()) {
        check(imported, imported.getQualifiedIdentifier().toString());
      }
      return super.visitImport(imported, null);
    }

    @Override
    public Void visitNewClass(NewClassTree made, Void none) {
      boolean now = made.getArguments().isEmpty();
      if (now && made.getIdentifier().toString().matches("(java\\.util\\.)?Date")) {
        offences.putIfAbsent(file.path(), file.at(made) + told("new Date()"));
      }
      return super.visitNewClass(made, null);
    }

    private void check(Tree tree, String name) {
      Matcher read = READ.matcher(name);
      if (read.matches()) {
        offences.putIfAbsent(file.path(), file.at(tree) + told(read.group(1)));
      }
    }
  }
}
