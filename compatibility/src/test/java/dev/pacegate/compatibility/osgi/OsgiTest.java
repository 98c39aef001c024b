package dev.pacegate.compatibility.osgi;

import static java.util.stream.Collectors.toSet;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import dev.pacegate.Limiter;
import dev.pacegate.http.PacedHttpClient;
import dev.pacegate.micrometer.LimiterMetrics;
import dev.pacegate.reactive.Pace;
import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.Observation;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.apache.felix.framework.FrameworkFactory;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleException;
import org.osgi.framework.Version;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.namespace.PackageNamespace;
import org.osgi.framework.wiring.BundleRevision;
import org.reactivestreams.Publisher;

/** Modules as bundles of OSGi, in Apache Felix. */
class OsgiTest {

  @TempDir Path folder;
  private HttpServer server;
  private Framework framework;

  @BeforeEach
  void starts() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(204, -1);
          }
        });
    server.start();
    framework =
        new FrameworkFactory()
            .newFramework(
                Map.of(
                    "org.osgi.framework.storage",
                    folder.resolve("cache").toString(),
                    "felix.service.urlhandlers", // they are the JVM's, and other tests run in it
                    "false",
                    "server",
                    "http://localhost:" + server.getAddress().getPort() + "/"));
    framework.start();
  }

  @AfterEach
  void stops() throws Exception {
    framework.stop();
    framework.waitForStop(0);
    server.stop(0);
  }

  @Test
  void aBundleKeepsItsLimits() throws Exception {
    // Of all libraries that Pacegate uses, only Reactive Streams is needed here.
    for (Class<?> type :
        List.of(Publisher.class, Limiter.class, PacedHttpClient.class, Pace.class)) {
      install(type).start();
    }
    for (Class<?> type :
        List.of(
            LimiterMetrics.class,
            MeterRegistry.class,
            KeyValue.class,
            Observation.class,
            NullMarked.class)) { // needed by Micrometer
      install(type);
    }
    framework.getBundleContext().installBundle(program().toUri().toString()).start();
    var calls = framework.getBundleContext().getServiceReference(Callable.class);
    assertEquals(
        List.of(
            "core: 2", "http: 2, then HttpWaitTooLongException", "reactive: 2", "micrometer: 1"),
        framework.getBundleContext().getService(calls).call());
  }

  @ParameterizedTest
  @ValueSource(classes = {Limiter.class, PacedHttpClient.class, Pace.class, LimiterMetrics.class})
  void aBundleExportsThePackagesOfItsModule(Class<?> ofModule) throws Exception {
    var exported =
        install(ofModule)
            .adapt(BundleRevision.class)
            .getDeclaredCapabilities(PackageNamespace.PACKAGE_NAMESPACE);
    assertEquals(
        descriptor(ofModule).exports().stream()
            .map(ModuleDescriptor.Exports::source)
            .collect(toSet()),
        exported.stream()
            .map(each -> each.getAttributes().get(PackageNamespace.PACKAGE_NAMESPACE))
            .collect(toSet()));
    for (var each : exported) {
      assertTrue(
          ((Version) each.getAttributes().get("version")).compareTo(new Version("0.1")) >= 0,
          each.toString());
    }
  }

  private static ModuleDescriptor descriptor(Class<?> ofModule) {
    return ModuleFinder.of(place(ofModule)).findAll().iterator().next().descriptor();
  }

  /** A jar, or the folder of what a module has compiled. */
  private static Path place(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private Bundle install(Class<?> type) throws BundleException {
    return framework.getBundleContext().installBundle("reference:" + place(type).toUri());
  }

  /** A bundle of the classes of {@link PacedCalls}. */
  private Path program() throws IOException {
    var manifest = new Manifest();
    Attributes headers = manifest.getMainAttributes();
    headers.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    headers.putValue("Bundle-ManifestVersion", "2");
    headers.putValue("Bundle-SymbolicName", "program");
    headers.putValue("Bundle-Activator", PacedCalls.class.getName());
    headers.putValue(
        "Import-Package",
        "org.osgi.framework,org.reactivestreams,io.micrometer.core.instrument,"
            + "io.micrometer.core.instrument.binder,io.micrometer.core.instrument.search,"
            + "io.micrometer.core.instrument.simple,dev.pacegate,dev.pacegate.http,"
            + "dev.pacegate.micrometer,dev.pacegate.reactive");
    Path jar = folder.resolve("program.jar");
    try (var out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
      for (Class<?> type : List.of(PacedCalls.class, PacedCalls.Counter.class)) {
        String name = type.getName().replace('.', '/') + ".class";
        out.putNextEntry(new JarEntry(name));
        try (InputStream code = type.getResourceAsStream("/" + name)) {
          code.transferTo(out);
        }
      }
    }
    return jar;
  }
}
