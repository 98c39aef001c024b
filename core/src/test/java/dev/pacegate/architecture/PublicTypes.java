package dev.pacegate.architecture;

import dev.pacegate.Limiter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The public types of the packages that this module exports. */
final class PublicTypes {

  private PublicTypes() {}

  /** Returns the names of the exported packages. */
  static Set<String> packages() {
    return ModuleFinder.of(classes())
        .find("dev.pacegate")
        .orElseThrow()
        .descriptor()
        .exports()
        .stream()
        .filter(exports -> !exports.isQualified())
        .map(ModuleDescriptor.Exports::source)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Returns the types, in the order of their names. */
  static List<Class<?>> all() {
    return packages().stream().sorted().flatMap(PublicTypes::in).toList();
  }

  private static Stream<Class<?>> in(String name) {
    try (Stream<Path> files = Files.list(classes().resolve(name.replace('.', '/')))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(file -> file.endsWith(".class") && !file.endsWith("-info.class"))
          .sorted()
          .<Class<?>>map(file -> load(name + "." + file.replace(".class", "")))
          .filter(PublicTypes::isSeen)
          .toList()
          .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException impossible) {
      throw new LinkageError(impossible.getMessage(), impossible);
    }
  }

  private static boolean isSeen(Class<?> type) {
    Class<?> outer = type.getDeclaringClass();
    return Modifier.isPublic(type.getModifiers())
        && !type.isAnonymousClass()
        && (outer == null || isSeen(outer));
  }

  private static Path classes() {
    try {
      return Path.of(Limiter.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException impossible) {
      throw new LinkageError(impossible.getMessage(), impossible);
    }
  }
}
