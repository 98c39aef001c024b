import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.FindException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * Checks a staged release against what Maven Central asks, and more, without the network:
 *
 * <pre>java .ci/CheckBundle.java BUNDLE VERSION SOURCES FINGERPRINT</pre>
 *
 * <p>Each file is signed with the key of that fingerprint and has right checksums. Each pom says
 * what Central asks for, itself or by a parent that is in the bundle too, and has no snapshot in
 * it. Each jar has sources, Javadoc, a bill of materials, the licence and the notice, classes for Java 17 and the name of a module,
 * whose exports it has as an OSGi bundle too; nothing else is there. The BOM lists every jar and nothing else. The core brings no dependency
 * along. Signatures are checked with {@code gpg} and its key ring.
 */
public class CheckBundle {

  private static final String GROUP = "dev.pacegate";
  private static final Set<String> WITHOUT_SIGNATURE = Set.of("asc", "md5", "sha1", "sha256", "sha512");

  private static final Set<String> OF_POM = Set.of(".pom", "-cyclonedx.json", "-cyclonedx.xml");
  private static final Set<String> OF_JAR =
      Set.of(".pom", ".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json", "-cyclonedx.xml");

  /** Each URL that a child inherits, and the attribute that keeps Maven from appending to it. */
  private static final Map<String, String> APPENDED =
      Map.of(
          "url", "child.project.url.inherit.append.path",
          "scm/connection", "child.scm.connection.inherit.append.path",
          "scm/developerConnection", "child.scm.developerConnection.inherit.append.path",
          "scm/url", "child.scm.url.inherit.append.path");

  /** Java 17. */
  private static final int CLASS_FILE = 61;

  private final Path bundle;
  private final String version;
  private final Path sources;
  private final String key;

  private final Map<String, Element> poms = new TreeMap<>();
  private final Map<String, Path> folders = new HashMap<>();
  private final List<String> wrong = new ArrayList<>();
  private int checked;

  private CheckBundle(Path bundle, String version, Path sources, String key) {
    this.bundle = bundle;
    this.version = version;
    this.sources = sources;
    this.key = key;
  }

  public static void main(String[] args) throws Exception {
    if (args.length != 4) {
      System.err.println("usage: java .ci/CheckBundle.java BUNDLE VERSION SOURCES FINGERPRINT");
      System.exit(2);
    }
    var check = new CheckBundle(Path.of(args[0]), args[1], Path.of(args[2]), args[3]);
    check.all();
    check.wrong.forEach(System.err::println);
    if (!check.wrong.isEmpty()) {
      System.err.println(check.wrong.size() + " of " + check.checked + " checks failed");
      System.exit(1);
    }
    System.out.println(
        check.poms.size() + " artifacts, " + check.checked + " checks: as Maven Central asks");
  }

  private void all() throws Exception {
    expect(!version.endsWith("-SNAPSHOT"), "the version", "is a snapshot: " + version);
    List<Path> files;
    try (Stream<Path> walk = Files.walk(bundle)) {
      files = walk.filter(Files::isRegularFile).sorted().toList();
    }
    for (Path file : files) {
      file(file);
    }
    for (String needed : List.of("pacegate-bom", "pacegate-core")) {
      expect(poms.containsKey(needed), "the bundle", "has no " + needed);
    }
    var jars = new TreeSet<String>();
    for (String artifact : poms.keySet()) {
      pom(artifact);
      if (text(poms.get(artifact), "packaging").orElse("jar").equals("jar")) {
        jars.add(GROUP + ":" + artifact + ":" + version);
        jars(artifact);
      }
      nothingElse(artifact);
    }
    expect(!jars.isEmpty(), "the bundle", "has no jar");
    expect(bom().equals(jars), "the BOM", "lists " + bom() + ", the jars are " + jars);
    if (poms.containsKey("pacegate-core")) {
      List<String> brought = brought("pacegate-core");
      expect(brought.isEmpty(), "pacegate-core", "brings along " + brought);
    }
  }

  /** Where it is, its checksums and its signature. */
  private void file(Path file) throws Exception {
    String name = file.getFileName().toString();
    String extension = name.substring(name.lastIndexOf('.') + 1);
    if (WITHOUT_SIGNATURE.contains(extension)) {
      return;
    }
    Path folder = file.getParent();
    String artifact = folder.getParent().getFileName().toString();
    Path place = bundle.resolve(GROUP.replace('.', '/')).resolve(artifact).resolve(version);
    expect(folder.equals(place), file, "is not in " + place);
    expect(name.startsWith(artifact + "-" + version), file, "is not named for its place");
    byte[] bytes = Files.readAllBytes(file);
    for (var sum : Map.of("md5", "MD5", "sha1", "SHA-1").entrySet()) {
      Path beside = folder.resolve(name + "." + sum.getKey());
      String right = HexFormat.of().formatHex(MessageDigest.getInstance(sum.getValue()).digest(bytes));
      expect(
          Files.exists(beside) && Files.readString(beside).strip().equals(right),
          file,
          "has no right " + sum.getKey());
    }
    Path signature = folder.resolve(name + ".asc");
    String signed = Files.exists(signature) ? signature(signature, file) : "no signature";
    expect(signed.isEmpty(), file, "is not signed with " + key + ": " + signed);
    if (extension.equals("pom")) {
      poms.put(artifact, xml(bytes));
      folders.put(artifact, folder);
    }
  }

  /** Returns nothing if the signature is good and that of the key, otherwise what gpg says. */
  private String signature(Path signature, Path file) throws Exception {
    Process gpg =
        new ProcessBuilder(
                "gpg", "--batch", "--status-fd", "1", "--verify", signature.toString(), file.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(gpg.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    // The last word is the primary key's fingerprint.
    boolean valid =
        said.lines().anyMatch(line -> line.startsWith("[GNUPG:] VALIDSIG ") && line.endsWith(" " + key));
    return gpg.waitFor() == 0 && valid ? "" : said.strip();
  }

  /** What Central asks of a pom, of the pom itself or of its parents. */
  private void pom(String artifact) {
    Element pom = poms.get(artifact);
    expect(said(pom, "groupId").equals(Optional.of(GROUP)), artifact, "is not of " + GROUP);
    expect(text(pom, "artifactId").equals(Optional.of(artifact)), artifact, "is named otherwise");
    expect(said(pom, "version").equals(Optional.of(version)), artifact, "is not " + version);
    for (String own : List.of("name", "description")) {
      expect(text(pom, own).isPresent(), artifact, "has no " + own + " of its own");
    }
    for (String path :
        List.of(
            "url",
            "licenses/license/name",
            "licenses/license/url",
            "developers/developer/name",
            "developers/developer/organization",
            "scm/connection",
            "scm/developerConnection",
            "scm/url")) {
      expect(said(pom, path).isPresent(), artifact, "has no " + path);
    }
    for (Optional<Element> at = Optional.of(pom); at.isPresent(); at = parent(at.get())) {
      Optional<String> parent = text(at.get(), "parent/artifactId");
      expect(
          parent.isEmpty() || poms.containsKey(parent.get()),
          artifact,
          "needs a parent that is not in the bundle: " + parent.orElse(""));
      if (parent.isPresent()) {
        expect(
            text(at.get(), "parent/version").equals(Optional.of(version)),
            artifact,
            "has a parent of another version");
      }
      Element ancestor = at.get();
      if (!ancestor.equals(pom)) {
        APPENDED.forEach((url, attribute) -> inherited(artifact, ancestor, url, attribute));
      }
    }
    String all = pom.getTextContent();
    expect(!all.contains("SNAPSHOT"), artifact, "names a snapshot");
    for (String repositories : List.of("repositories", "pluginRepositories")) {
      boolean none =
          children(pom, repositories).isEmpty()
              && children(pom, "profiles", "profile", repositories).isEmpty();
      expect(none, artifact, "has " + repositories);
    }
    for (Element dependency : children(pom, "dependencies", "dependency")) {
      if (text(dependency, "groupId").equals(Optional.of(GROUP))) {
        String needed = text(dependency, "artifactId").orElseThrow();
        expect(poms.containsKey(needed), artifact, "needs what is not in the bundle: " + needed);
      }
      expect(
          !text(dependency, "scope").equals(Optional.of("system")), artifact, "has a system scope");
    }
  }

  /** Dependencies, inherited ones too, that a program that uses the artifact would get with it. */
  private List<String> brought(String artifact) {
    var brought = new ArrayList<String>();
    for (var at = Optional.of(poms.get(artifact)); at.isPresent(); at = parent(at.get())) {
      for (Element dependency : children(at.get(), "dependencies", "dependency")) {
        if (Set.of("compile", "runtime").contains(text(dependency, "scope").orElse("compile"))
            && !text(dependency, "optional").equals(Optional.of("true"))) {
          brought.add(coordinates(dependency));
        }
      }
    }
    return brought;
  }

  /** A URL that children inherit as it is: Maven appends the child's name unless told otherwise. */
  private void inherited(String artifact, Element ancestor, String url, String attribute) {
    Element switched = url.startsWith("scm/") ? child(ancestor, "scm").orElse(ancestor) : ancestor;
    boolean appended =
        text(ancestor, url).isPresent() && !switched.getAttribute(attribute).equals("false");
    expect(!appended, artifact, "would have its name appended to the " + url);
  }

  /** The jar of an artifact and what must stand beside it. */
  private void jars(String artifact) throws Exception {
    Path jar = beside(artifact, ".jar");
    Path source = beside(artifact, "-sources.jar");
    Path javadoc = beside(artifact, "-javadoc.jar");
    Path bill = beside(artifact, "-cyclonedx.xml");
    for (String end : OF_JAR) {
      Path file = beside(artifact, end);
      expect(Files.exists(file), file, "is missing");
      if (!Files.exists(file)) {
        return;
      }
    }
    for (Path file : List.of(jar, source, javadoc)) {
      for (String text : List.of("LICENSE", "NOTICE")) {
        expect(
            Arrays.equals(entry(file, "META-INF/" + text), Files.readAllBytes(sources.resolve(text))),
            file,
            "lacks META-INF/" + text);
      }
    }
    expect(entry(javadoc, "index.html").length > 0, javadoc, "has no index.html");
    String purl = "pkg:maven/" + GROUP + "/" + artifact + "@" + version + "?type=jar";
    expect(
        text(xml(Files.readAllBytes(bill)), "metadata/component/purl").equals(Optional.of(purl)),
        bill,
        "is not of " + purl);

    var lackSource = new TreeSet<String>();
    try (var classes = new ZipFile(jar.toFile());
        var texts = new ZipFile(source.toFile())) {
      for (ZipEntry entry : classes.stream().toList()) {
        String name = entry.getName();
        if (!name.endsWith(".class")) {
          continue;
        }
        byte[] bytes = classes.getInputStream(entry).readAllBytes();
        int major = (bytes[6] & 0xff) << 8 | bytes[7] & 0xff;
        expect(major == CLASS_FILE, jar, name + " is of class file version " + major);
        String top = name.replaceAll("(\\$.*)?\\.class$", "");
        // Functions of Kotlin's Name.kt are in a class NameKt.
        if (Stream.of(top + ".java", top + ".kt", top.replaceAll("Kt$", "") + ".kt")
            .allMatch(text -> texts.getEntry(text) == null)) {
          lackSource.add(top);
        }
      }
    }
    expect(lackSource.isEmpty(), source, "lacks " + lackSource);
    module(jar);
  }

  /** The name comes from the jar itself and not from its file's name. */
  private void module(Path jar) throws IOException {
    try (var file = new JarFile(jar.toFile())) {
      Manifest manifest = file.getManifest();
      boolean named =
          file.getEntry("module-info.class") != null
              || manifest != null
                  && manifest.getMainAttributes().getValue("Automatic-Module-Name") != null;
      expect(named, jar, "has no module name");
    }
    try {
      var modules =
          ModuleFinder.of(jar).findAll().stream().map(ModuleReference::descriptor).toList();
      expect(
          modules.size() == 1 && (modules.get(0).name() + ".").startsWith(GROUP + "."),
          jar,
          "is the module " + modules);
      for (ModuleDescriptor module : modules) {
        if (!module.isAutomatic()) {
          osgi(jar, module);
        }
      }
    } catch (FindException e) {
      expect(false, jar, "is no module: " + e.getMessage());
    }
  }

  /** A module with a descriptor is a bundle too, of the same packages. */
  private void osgi(Path jar, ModuleDescriptor module) throws IOException {
    String numbers = version.replaceFirst("-.*", "");
    try (var file = new JarFile(jar.toFile())) {
      Attributes headers = file.getManifest().getMainAttributes();
      // The packages that an exported one uses are in quotes, with commas between them.
      var exports =
          Stream.of(headers.getValue("Export-Package") + "")
              .flatMap(header -> Stream.of(header.replaceAll(";uses:=\"[^\"]*\"", "").split(",")))
              .collect(Collectors.toSet());
      var expected =
          module.exports().stream()
              .map(exported -> exported.source() + ";version=\"" + numbers + "\"")
              .collect(Collectors.toSet());
      expect(exports.equals(expected), jar, "exports to OSGi " + exports + ", not " + expected);
      expect(
          (headers.getValue("Bundle-Version") + "").startsWith(numbers),
          jar,
          "is a bundle of version " + headers.getValue("Bundle-Version"));
    }
  }

  private Set<String> bom() {
    var listed = new TreeSet<String>();
    if (poms.containsKey("pacegate-bom")) {
      child(poms.get("pacegate-bom"), "dependencyManagement")
          .ifPresent(
              managed -> {
                for (Element dependency : children(managed, "dependencies", "dependency")) {
                  listed.add(coordinates(dependency));
                }
              });
    }
    return listed;
  }

  private String coordinates(Element dependency) {
    return Stream.of("groupId", "artifactId", "version")
        .map(part -> text(dependency, part).orElse("?").replace("${project.version}", version))
        .collect(Collectors.joining(":"));
  }

  /** No file but those that belong to an artifact. */
  private void nothingElse(String artifact) throws IOException {
    String start = artifact + "-" + version;
    Set<String> ends = Files.exists(beside(artifact, ".jar")) ? OF_JAR : OF_POM;
    try (Stream<Path> files = Files.list(folders.get(artifact))) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        String checked = name.replaceFirst("(\\.(asc|md5|sha1|sha256|sha512))+$", "");
        boolean known = checked.startsWith(start) && ends.contains(checked.substring(start.length()));
        expect(known, file, "belongs to no artifact");
      }
    }
  }

  private Path beside(String artifact, String end) {
    return folders.get(artifact).resolve(artifact + "-" + version + end);
  }

  private static byte[] entry(Path jar, String name) throws IOException {
    try (var file = new ZipFile(jar.toFile())) {
      ZipEntry entry = file.getEntry(name);
      if (entry == null) {
        return new byte[0];
      }
      try (InputStream in = file.getInputStream(entry)) {
        return in.readAllBytes();
      }
    }
  }

  private void expect(boolean holds, Object what, String otherwise) {
    checked++;
    if (!holds) {
      wrong.add(what + " " + otherwise);
    }
  }

  /** What a pom or the nearest of its parents says. */
  private Optional<String> said(Element pom, String path) {
    Optional<String> own = text(pom, path);
    return own.isPresent() ? own : parent(pom).flatMap(parent -> said(parent, path));
  }

  private Optional<Element> parent(Element pom) {
    return text(pom, "parent/artifactId").map(poms::get);
  }

  private static Optional<String> text(Element element, String path) {
    Optional<Element> at = Optional.of(element);
    for (String name : path.split("/")) {
      at = at.flatMap(parent -> child(parent, name));
    }
    return at.map(Element::getTextContent).map(String::strip).filter(text -> !text.isEmpty());
  }

  private static Optional<Element> child(Element parent, String name) {
    return children(parent, name).stream().findFirst();
  }

  private static List<Element> children(Element parent, String... path) {
    List<Element> found = List.of(parent);
    for (String name : path) {
      var next = new ArrayList<Element>();
      for (Element element : found) {
        for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
          if (node instanceof Element && node.getNodeName().equals(name)) {
            next.add((Element) node);
          }
        }
      }
      found = next;
    }
    return found;
  }

  private static Element xml(byte[] bytes) throws Exception {
    var factory = DocumentBuilderFactory.newInstance();
    factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    return factory.newDocumentBuilder().parse(new ByteArrayInputStream(bytes)).getDocumentElement();
  }
}
