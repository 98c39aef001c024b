package dev.pacegate.cli;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The Javadoc of each exported type begins with a sentence, which the lists of types show. */
@Tag("pages")
@Tag("jdk") // reads sources by the compiler's API
class ExportedTypesTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final List<String> MODULES =
      List.of(
          "core",
          "adapter-tck",
          "http",
          "okhttp",
          "apache-httpclient",
          "reactive",
          "pekko",
          "micrometer",
          "redis",
          "spring",
          "simulator");
  private static final Pattern EXPORTED = Pattern.compile("(?m)^\\s*exports ([\\w.]+);");
  private static final Set<Tree.Kind> TYPES =
      EnumSet.of(
          Tree.Kind.CLASS,
          Tree.Kind.INTERFACE,
          Tree.Kind.ENUM,
          Tree.Kind.RECORD,
          Tree.Kind.ANNOTATION_TYPE);

  /** What is exported, and what of it says nothing. */
  private final List<String> exported = new ArrayList<>();

  private final List<String> silent = new ArrayList<>();

  @Test
  void everyExportedTypeSaysWhatItIs() throws IOException {
    for (String module : MODULES) {
      Path sources = ROOT.resolve(module).resolve("src/main/java");
      int before = exported.size();
      for (String name : packages(sources)) {
        read(sources.resolve(name.replace('.', '/')));
      }
      assertTrue(exported.size() > before, module);
    }
    assertEquals(List.of(), silent);
    assertTrue(exported.contains("KeyedLimiter.Builder"), exported::toString);
  }

  /** Returns what a module exports: what its descriptor says, else every package. */
  private static Set<String> packages(Path sources) throws IOException {
    Path descriptor = sources.resolve("module-info.java");
    if (Files.exists(descriptor)) {
      return EXPORTED
          .matcher(Files.readString(descriptor))
          .results()
          .map((MatchResult match) -> match.group(1))
          .collect(Collectors.toCollection(TreeSet::new));
    }
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .map(file -> sources.relativize(requireNonNull(file.getParent())))
          .map(folder -> folder.toString().replace('\\', '/').replace('/', '.'))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  /** Adds the public types in the sources of a package. */
  private void read(Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files =
          all.filter(file -> file.toString().endsWith(".java"))
              .filter(file -> !file.endsWith("package-info.java"))
              .toList();
    }
    var javac = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager manager = javac.getStandardFileManager(null, null, null)) {
      var task =
          (JavacTask)
              javac.getTask(
                  null, manager, null, null, null, manager.getJavaFileObjectsFromPaths(files));
      DocTrees docs = DocTrees.instance(task);
      for (CompilationUnitTree unit : task.parse()) {
        for (Tree type : unit.getTypeDecls()) {
          add(new TreePath(new TreePath(unit), type), "", docs);
        }
      }
    }
  }

  /** Adds a type that is public, and the public types in it. */
  private void add(TreePath path, String outer, DocTrees docs) {
    var type = (ClassTree) path.getLeaf();
    if (!isPublic(type, path.getParentPath().getLeaf())) {
      return;
    }
    String name = outer + type.getSimpleName();
    exported.add(name);
    DocCommentTree comment = docs.getDocCommentTree(path);
    if (comment == null || comment.getFirstSentence().isEmpty()) {
      silent.add(name);
    }
    for (Tree member : type.getMembers()) {
      if (TYPES.contains(member.getKind())) {
        add(new TreePath(path, member), name + ".", docs);
      }
    }
  }

  private static boolean isPublic(ClassTree type, Tree parent) {
    Set<Modifier> flags = type.getModifiers().getFlags();
    return flags.contains(Modifier.PUBLIC)
        || (parent.getKind() == Tree.Kind.INTERFACE && !flags.contains(Modifier.PRIVATE));
  }
}
