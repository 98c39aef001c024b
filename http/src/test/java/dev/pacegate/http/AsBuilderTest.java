package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.adapter.tck.RawServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.Authenticator;
import java.net.CookieManager;
import java.net.InetAddress;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Libraries that take a builder build paced clients with it. */
@Timeout(60)
@Tag("jdk") // a later one may have more setters
class AsBuilderTest extends PacedHttpCases {

  private HttpClient with(UnaryOperator<HttpClient.Builder> settings) {
    return settings.apply(paced().asBuilder()).build();
  }

  @Test
  void itsClientsShareTheLimiter() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    HttpClient client = with(it -> it.connectTimeout(Duration.ofSeconds(15)));
    assertEquals("hello", send(client, get(server.uri("/"))).body());
    assertEquals("hello", send(with(it -> it), get(server.uri("/"))).body());
    assertGranted(2);
  }

  @Test
  void eachSettingIsAppliedOrRefused() throws Exception {
    var timeout = Duration.ofSeconds(15);
    assertEquals(timeout, with(it -> it.connectTimeout(timeout)).connectTimeout().orElseThrow());
    var cookies = new CookieManager();
    assertSame(cookies, with(it -> it.cookieHandler(cookies)).cookieHandler().orElseThrow());
    SSLContext context = SSLContext.getDefault();
    assertSame(context, with(it -> it.sslContext(context)).sslContext());
    var parameters = new SSLParameters();
    parameters.setProtocols(new String[] {"TLSv1.3"});
    assertEquals(
        "[TLSv1.3]",
        Arrays.toString(with(it -> it.sslParameters(parameters)).sslParameters().getProtocols()));
    Executor executor = ForkJoinPool.commonPool();
    assertSame(executor, with(it -> it.executor(executor)).executor().orElseThrow());
    assertEquals(Version.HTTP_2, with(it -> it.version(Version.HTTP_2)).version());
    assertEquals(Version.HTTP_1_1, with(it -> it).version());
    ProxySelector direct = ProxySelector.of(null);
    assertSame(direct, with(it -> it.proxy(direct)).proxy().orElseThrow());
    assertEquals(
        Redirect.ALWAYS, with(it -> it.followRedirects(Redirect.ALWAYS)).followRedirects());
    var authenticator = new Authenticator() {};
    assertSame(
        authenticator, with(it -> it.authenticator(authenticator)).authenticator().orElseThrow());
    assertInstanceOf(PacedHttpClient.class, with(it -> it.priority(1)));
    assertThrows(IllegalArgumentException.class, () -> with(it -> it.priority(0)));
  }

  /** So none that a later JDK adds is accepted in silence. */
  @Test
  void noSettingIsLeftToADefault() {
    for (Method method : HttpClient.Builder.class.getMethods()) {
      if (!method.isDefault()) {
        continue;
      }
      Object[] arguments = Arrays.stream(method.getParameterTypes()).map(OTHERS::get).toArray();
      Throwable thrown =
          assertThrows(
                  InvocationTargetException.class,
                  () -> method.invoke(paced().asBuilder(), arguments))
              .getCause();
      assertInstanceOf(UnsupportedOperationException.class, thrown);
      assertTrue(("" + thrown.getMessage()).contains("PacedHttpClient.builder"), "" + method);
    }
    var builder = new LikeBuilder(paced(), plain().build(), Redirect.NEVER, null);
    assertThrows(
        UnsupportedOperationException.class,
        () -> builder.localAddress(InetAddress.getLoopbackAddress()));
  }

  private static final Map<Class<?>, Object> OTHERS =
      Map.of(InetAddress.class, InetAddress.getLoopbackAddress());

  @Test
  void redirectsOfItsClientsArePaced() throws Exception {
    RawServer server =
        server(
            (request, connection) -> {
              if (request.path().equals("/")) {
                connection.status(302, "Location: /there");
              } else {
                connection.ok("there");
              }
            });
    HttpClient client = with(it -> it.followRedirects(Redirect.NORMAL));
    assertEquals("there", send(client, get(server.uri("/"))).body());
    assertGranted(2);
  }

  @Test
  void aClientOfAnotherMakeCannotBeChanged() {
    var late = new LateClient();
    PacedHttpClient client = PacedHttpClient.builder(late).limiter(limiter).build();
    var thrown =
        assertThrows(
            UnsupportedOperationException.class,
            () -> client.asBuilder().connectTimeout(Duration.ofSeconds(1)));
    assertEquals(
        "connectTimeout cannot be changed here because the client inside is not the JDK's own,"
            + " dev.pacegate.http.LateClient: set it on the client that you give to"
            + " PacedHttpClient.builder",
        thrown.getMessage());
    HttpClient same = client.asBuilder().followRedirects(Redirect.ALWAYS).build();
    assertEquals(Redirect.ALWAYS, same.followRedirects());
    assertNotSame(client, same);
  }

  /** What cannot be read of a client is lost in a copy, so a copy is made only if it must be. */
  @Test
  void theClientInsideIsUsedWhileItIsUnchanged() {
    HttpClient inner = plain().executor(Runnable::run).build();
    PacedHttpClient client = PacedHttpClient.builder(inner).limiter(limiter).build();
    assertSame(inner.sslContext(), client.asBuilder().build().sslContext());
    assertSame(
        inner.executor().orElseThrow(),
        client.asBuilder().version(Version.HTTP_2).build().executor().orElseThrow());
  }
}
