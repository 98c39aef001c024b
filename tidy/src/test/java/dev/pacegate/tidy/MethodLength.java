package dev.pacegate.tidy;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.TreeScanner;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A method fits on a screen: from its first line to its last it has at most 70. */
final class MethodLength {

  static final int MOST = 70;

  private MethodLength() {}

  static List<String> judge(Sources sources, AllowList allowed) {
    var offences = new LinkedHashMap<String, String>();
    for (SourceFile file : sources.java()) {
      new Scanner(file, offences).scan(file.unit(), "");
    }
    return allowed.judge(offences);
  }

  /** Its argument is the type that it is in. */
  private static final class Scanner extends TreeScanner<Void, String> {
    private final SourceFile file;
    private final Map<String, String> offences;

    Scanner(SourceFile file, Map<String, String> offences) {
      this.file = file;
      this.offences = offences;
    }

    @Override
    public Void visitClass(ClassTree type, String outer) {
      return super.visitClass(type, type.getSimpleName().toString());
    }

    @Override
    public Void visitMethod(MethodTree method, String type) {
      long lines = file.lastLine(method) - file.firstLine(method) + 1;
      if (lines > MOST) {
        String name = type + "." + method.getName();
        offences.put(
            file.path() + " " + name,
            file.at(method)
                + name
                + " has "
                + lines
                + " lines: extract methods until it has at most "
                + MOST);
      }
      return super.visitMethod(method, type);
    }
  }
}
