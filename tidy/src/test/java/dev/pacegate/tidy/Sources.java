package dev.pacegate.tidy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** The text files of the repository, read once, and its Java files, parsed once. */
final class Sources {

  /** Folders which hold what tools write, unless they are below a folder of sources. */
  private static final Set<String> WRITTEN = Set.of("target", "node_modules", "results");

  /** Folders with a leading dot which belong to the repository. */
  private static final Set<String> DOTTED = Set.of(".ci", ".github", ".mvn");

  /** Files which tools write beside ours. */
  private static final Pattern OF_TOOLS =
      Pattern.compile(".*\\.(?:gz|jar|iml|class)|(?:.*/)?\\.[^/]*");

  private static final Pattern WORD = Pattern.compile("\\w+");

  private final Map<String, String> texts;
  private final List<SourceFile> java;

  private Sources(Map<String, String> texts) {
    this.texts = texts;
    this.java = parse(texts);
  }

  /** Reads all files below a folder except what tools write. */
  static Sources below(Path root) {
    var texts = new TreeMap<String, String>();
    try {
      Files.walkFileTree(root, new Reader(root, texts));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Sources(texts);
  }

  /** Takes texts by path instead of files. */
  static Sources of(Map<String, String> texts) {
    return new Sources(new TreeMap<>(texts));
  }

  /** Returns the texts of all files by path. */
  Map<String, String> texts() {
    return texts;
  }

  /** Returns the parsed Java files in order of their paths. */
  List<SourceFile> java() {
    return java;
  }

  private static List<SourceFile> parse(Map<String, String> texts) {
    var inputs = new LinkedHashMap<String, Input>();
    texts.forEach(
        (path, text) -> {
          if (path.endsWith(".java")) {
            inputs.put(path, new Input(path, text));
          }
        });
    if (inputs.isEmpty()) {
      return List.of();
    }
    var task =
        (JavacTask)
            ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, null, List.of("-proc:none"), null, inputs.values());
    SourcePositions positions = Trees.instance(task).getSourcePositions();
    var files = new ArrayList<SourceFile>();
    try {
      for (CompilationUnitTree unit : task.parse()) {
        String path = unit.getSourceFile().toUri().getPath().substring(1);
        String text = inputs.get(path).text;
        files.add(new SourceFile(path, text, words(text), unit, positions));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  /** Returns the words of a text, each of letters, digits and underscores. */
  static Set<String> words(String text) {
    var words = new HashSet<String>();
    Matcher word = WORD.matcher(text);
    while (word.find()) {
      words.add(word.group());
    }
    return words;
  }

  /** Gives a text to the compiler. */
  private static final class Input extends SimpleJavaFileObject {
    private final String text;

    Input(String path, String text) {
      super(URI.create("string:///" + path), JavaFileObject.Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  /** Reads the files that Git tracks, as far as their folders tell. */
  private static final class Reader extends SimpleFileVisitor<Path> {
    private final Path root;
    private final Map<String, String> texts;

    Reader(Path root, Map<String, String> texts) {
      this.root = root;
      this.texts = texts;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
      String name = folder.getFileName() == null ? "" : folder.getFileName().toString();
      boolean hidden = name.startsWith(".") && !DOTTED.contains(name);
      boolean written = WRITTEN.contains(name) && !isSource(root.relativize(folder));
      return !folder.equals(root) && (hidden || written)
          ? FileVisitResult.SKIP_SUBTREE
          : FileVisitResult.CONTINUE;
    }

    private static boolean isSource(Path folder) {
      return folder.toString().replace('\\', '/').contains("/src/");
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      String path = root.relativize(file).toString().replace('\\', '/');
      if (attributes.isRegularFile() && !OF_TOOLS.matcher(path).matches()) {
        // Java files are UTF-8. Any other file may hold any bytes: only its words are of interest.
        byte[] bytes = Files.readAllBytes(file);
        texts.put(path, new String(bytes, path.endsWith(".java") ? UTF_8 : ISO_8859_1));
      }
      return FileVisitResult.CONTINUE;
    }
  }
}
