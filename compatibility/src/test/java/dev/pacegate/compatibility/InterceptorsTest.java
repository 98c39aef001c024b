package dev.pacegate.compatibility;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import dev.pacegate.Limiter;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The interceptor of {@code docs/http.md}, as it stands there: each redirect takes a permit. */
@Timeout(60)
@Tag("pages")
class InterceptorsTest {

  private static final Path PAGE = Path.of("..", "docs", "http.md");

  private static final String AROUND =
      """
      import dev.pacegate.*;
      import org.apache.hc.client5.http.impl.classic.*;
      import org.apache.hc.core5.http.ClassicHttpResponse;

      public class Snippet {
        public static Object client(Limiter api) {
      %s
          return client;
        }
      }
      """;

  private final Limiter api = Limiter.of("peer(1000/1h)");
  private final AtomicInteger arrivals = new AtomicInteger();

  /** Redirects twice, then answers. */
  private HttpServer server() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            boolean last = arrivals.incrementAndGet() == 3;
            exchange.getResponseHeaders().add("Location", "/again" + arrivals.get());
            exchange.sendResponseHeaders(last ? 204 : 302, -1);
          }
        });
    server.start();
    return server;
  }

  private static String uri(HttpServer server) {
    return "http://localhost:" + server.getAddress().getPort() + "/";
  }

  @Test
  void apache(@TempDir Path folder) throws Exception {
    HttpServer server = server();
    try (var client = (CloseableHttpClient) client("apache", folder)) {
      int status = client.execute(new HttpGet(uri(server)), answer -> answer.getCode());
      assertEquals(204, status);
    } finally {
      server.stop(0);
    }
    assertOnePermitEach();
  }

  private void assertOnePermitEach() {
    assertEquals(3, arrivals.get());
    assertEquals(3, api.snapshot().granted());
    assertEquals(0, api.snapshot().open());
  }

  /** Compiles the snippet of that name, and returns the client that it makes. */
  private Object client(String name, Path folder) throws Exception {
    Matcher snippet =
        Pattern.compile("(?ms)^```java " + name + "\n(.*?)^```").matcher(Files.readString(PAGE));
    assertTrue(snippet.find(), name);
    var errors = new StringWriter();
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    boolean compiled =
        ToolProvider.getSystemJavaCompiler()
            .getTask(
                errors,
                null,
                null,
                List.of("-d", folder.toString(), "-cp", path),
                null,
                List.of(new Source(AROUND.replace("%s", requireNonNull(snippet.group(1))))))
            .call();
    assertTrue(compiled, errors::toString);
    URL[] where = {folder.toUri().toURL()};
    try (var loader = new URLClassLoader(where, InterceptorsTest.class.getClassLoader())) {
      var made = loader.loadClass("Snippet").getMethod("client", Limiter.class).invoke(null, api);
      return requireNonNull(made);
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String text) {
      super(URI.create("string:///Snippet.java"), JavaFileObject.Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
