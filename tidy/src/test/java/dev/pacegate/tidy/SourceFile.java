package dev.pacegate.tidy;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.SourcePositions;
import java.util.Set;

/** A parsed Java file and its words; its path is relative to the root and has forward slashes. */
record SourceFile(
    String path,
    String text,
    Set<String> words,
    CompilationUnitTree unit,
    SourcePositions positions) {

  /** Returns the line on which a tree begins: annotations belong to it, Javadoc does not. */
  long firstLine(Tree tree) {
    return line(positions.getStartPosition(unit, tree));
  }

  long lastLine(Tree tree) {
    return line(positions.getEndPosition(unit, tree));
  }

  private long line(long position) {
    return unit.getLineMap().getLineNumber(Math.max(0, position));
  }

  /** Returns the package, "" for the unnamed one. */
  String packageName() {
    ExpressionTree name = unit.getPackageName();
    return name == null ? "" : name.toString();
  }

  boolean isMain() {
    return path.contains("/src/main/");
  }

  boolean isTest() {
    return path.contains("/src/test/");
  }

  /** Returns the folder of the module, such as {@code core} or {@code spring/boot4}. */
  String module() {
    int end = path.indexOf("/src/");
    return end < 0 ? "" : path.substring(0, end);
  }

  /** Returns the name of the file without folder and extension. */
  String simpleName() {
    return path.substring(path.lastIndexOf('/') + 1).replaceFirst("\\.java$", "");
  }

  /** Returns where a tree begins, as a message names it. */
  String at(Tree tree) {
    return path + ":" + firstLine(tree) + ": ";
  }
}
