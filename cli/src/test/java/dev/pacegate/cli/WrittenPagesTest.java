package dev.pacegate.cli;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.EntityTree;
import com.sun.source.doctree.LinkTree;
import com.sun.source.doctree.LiteralTree;
import com.sun.source.doctree.TextTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
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
import picocli.CommandLine;

/**
 * Pages that the code writes: {@code docs/types.md} from the first sentence of each exported type's
 * Javadoc, {@code docs/grammar.md} from {@code pacegate limits}. With {@code -Dpacegate.write=true}
 * they are written, otherwise compared.
 */
@Tag("pages")
@Tag("jdk") // reads sources by the compiler's API
class WrittenPagesTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path DOCS = ROOT.resolve("docs");
  private static final List<String> MODULES =
      List.of("core", "http", "reactive", "pekko", "micrometer", "spring", "simulator");
  private static final Pattern EXPORTED = Pattern.compile("(?m)^\\s*exports ([\\w.]+);");
  private static final Set<Tree.Kind> TYPES =
      EnumSet.of(
          Tree.Kind.CLASS,
          Tree.Kind.INTERFACE,
          Tree.Kind.ENUM,
          Tree.Kind.RECORD,
          Tree.Kind.ANNOTATION_TYPE);

  @Test
  void grammarIsWhatTheCommandPrints() throws IOException {
    var out = new StringWriter();
    var command = new CommandLine(new LimitsCommand()).setOut(new PrintWriter(out, true));
    assertEquals(0, command.execute());
    compare(
        "grammar.md",
        """
        # The syntax of limits

        `./pacegate limits` prints this text; a test checks that this page matches it. [Limits and permits](guide/1-limits.md) explains
        the kinds; [choosing a limit](choosing.md) helps you pick one.

        ```text
        """
            + out.toString().replace("\r\n", "\n").stripTrailing()
            + """

            ```

            ## What surprises people

            - `1/1s` never allows two requests at once; `60/1m` has the same rate but allows 60 at once.
            - Decimals are rejected. Write `1/2s` instead of 0.5/1s.
            - `m` means minutes. Months are `mo`, which works only in `aligned`.
            - By default, a bucket starts full (`initial=full`), but a bucket within `peer` starts empty.
            - In a shell, put the limit in quotes.
            """);
  }

  @Test
  void everyExportedTypeHasALine() throws IOException {
    var page =
        new StringBuilder(
            """
            # The public types

            One line for each exported type, by package: the first sentence of its Javadoc, from which a test writes this
            page. [Architecture](../ARCHITECTURE.md) tells how they work together.
            """);
    for (String module : MODULES) {
      Path sources = ROOT.resolve(module).resolve("src/main/java");
      for (String name : packages(sources)) {
        page.append("\n## `").append(name).append("` (").append(module).append(")\n\n");
        types(sources.resolve(name.replace('.', '/'))).forEach(page::append);
      }
    }
    assertTrue(page.indexOf("[`Limiter`](") > 0);
    compare("types.md", page.toString());
  }

  private static void compare(String name, String wanted) throws IOException {
    Path page = DOCS.resolve(name);
    if (Boolean.getBoolean("pacegate.write")) {
      Files.writeString(page, wanted);
    }
    assertEquals(
        wanted,
        Files.readString(page),
        "write it: ./mvnw -pl cli -am test -Dtest=WrittenPagesTest -Dpacegate.write=true"
            + " -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false");
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

  /** Returns the lines of the public types in the sources of a package. */
  private static List<String> types(Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files =
          all.filter(file -> file.toString().endsWith(".java"))
              .filter(file -> !file.endsWith("package-info.java"))
              .sorted()
              .toList();
    }
    var javac = ToolProvider.getSystemJavaCompiler();
    var lines = new ArrayList<String>();
    try (StandardJavaFileManager manager = javac.getStandardFileManager(null, null, null)) {
      var task =
          (JavacTask)
              javac.getTask(
                  null, manager, null, null, null, manager.getJavaFileObjectsFromPaths(files));
      DocTrees docs = DocTrees.instance(task);
      for (CompilationUnitTree unit : task.parse()) {
        String file = DOCS.relativize(Path.of(unit.getSourceFile().toUri())).toString();
        for (Tree type : unit.getTypeDecls()) {
          add(new TreePath(new TreePath(unit), type), "", file.replace('\\', '/'), docs, lines);
        }
      }
    }
    return lines;
  }

  /** Adds the line of a type that is public, and those of the public types in it. */
  private static void add(
      TreePath path, String outer, String file, DocTrees docs, List<String> lines) {
    var type = (ClassTree) path.getLeaf();
    if (!isPublic(type, path.getParentPath().getLeaf())) {
      return;
    }
    String name = outer + type.getSimpleName();
    String shown = outer.isEmpty() ? "[`" + name + "`](" + file + ")" : "`" + name + "`";
    lines.add("- " + shown + ": " + firstSentence(name, docs.getDocCommentTree(path)) + "\n");
    for (Tree member : type.getMembers()) {
      if (TYPES.contains(member.getKind())) {
        add(new TreePath(path, member), name + ".", file, docs, lines);
      }
    }
  }

  private static boolean isPublic(ClassTree type, Tree parent) {
    Set<Modifier> flags = type.getModifiers().getFlags();
    return flags.contains(Modifier.PUBLIC)
        || (parent.getKind() == Tree.Kind.INTERFACE && !flags.contains(Modifier.PRIVATE));
  }

  private static String firstSentence(String name, DocCommentTree comment) {
    requireNonNull(comment, () -> name + " has no Javadoc");
    var text = new StringBuilder();
    comment.getFirstSentence().forEach(part -> text.append(shown(part)));
    return text.toString().replaceAll("\\s+", " ").strip().replaceAll(":$", ".");
  }

  private static String shown(DocTree part) {
    if (part instanceof TextTree plain) {
      return plain.getBody();
    }
    if (part instanceof LiteralTree literal) {
      String body = literal.getBody().getBody().strip();
      return part.getKind() == DocTree.Kind.CODE ? "`" + body + "`" : body;
    }
    if (part instanceof LinkTree link) {
      String label =
          link.getLabel().stream().map(WrittenPagesTest::shown).collect(Collectors.joining());
      return label.isEmpty() ? "`" + shortened(link.getReference().getSignature()) + "`" : label;
    }
    if (part instanceof EntityTree entity) {
      return entity.toString();
    }
    return "";
  }

  /** Returns a reference without packages, and with a dot before a member. */
  private static String shortened(String reference) {
    String plain = reference.replaceAll("(?s)\\(.*", "").replaceAll("\\b[a-z]\\w*\\.", "");
    return plain.startsWith("#") ? plain.substring(1) : plain.replace('#', '.');
  }
}
