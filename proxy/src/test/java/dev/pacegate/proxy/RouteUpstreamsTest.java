package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.pacegate.adapter.tck.H2Server;
import io.vertx.core.net.PfxOptions;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Routes of one file, to upstreams that are spoken to in different ways. */
@Timeout(120)
class RouteUpstreamsTest {

  private static final String FILE =
      """
      limits: {all: peer(6/1h)}
      routes:
      - {match: {path: /h2c}, limit: all, to: "h2c://127.0.0.1:%d"}
      - {match: {path: /two}, limit: all, to: "https://localhost:%d"}
      - {match: {path: /one}, limit: all, to: "https://localhost:%d"}
      - {limit: all, to: UPSTREAM}
      """;

  private static Path keys;

  @BeforeAll
  static void makeKeys() throws Exception {
    keys = TlsUpstream.keys();
  }

  @Test
  void eachIsSpokenToAsItsAddressSays() throws Exception {
    var trusted = new PfxOptions().setPath(keys.toString()).setPassword(TlsUpstream.PASSWORD);
    try (var h2c = new H2Server((arrival, stream) -> stream.ok("h2c"));
        var two = new H2Server((arrival, stream) -> stream.ok("two"), TlsUpstream.context(keys));
        var one = new TlsUpstream(TlsUpstream.context(keys));
        var rig =
            new RoutedRig(
                FILE.formatted(h2c.uri("/").getPort(), two.uri("/").getPort(), one.port()),
                1000,
                options -> options.client(client -> client.setTrustOptions(trusted)))) {
      assertEquals("h2c", body(rig, "/h2c"));
      assertEquals("two", body(rig, "/two"));
      assertEquals("ok", body(rig, "/one"));
      assertEquals("ok", body(rig, "/plain"));
      rig.reload(
          FILE.formatted(two.uri("/").getPort(), two.uri("/").getPort(), one.port())
              .replace("h2c://127.0.0.1", "https://localhost"));
      assertEquals("two", body(rig, "/h2c"), "and by another way after a change");
      assertEquals("ok", body(rig, "/plain"));
      assertEquals(429, rig.get("/one"), "all keep one limit");
      assertEquals(2, rig.arrived.size());
      rig.atRest();
    }
  }

  private static String body(RoutedRig rig, String target) throws Exception {
    return rig.client.send(rig.request(target).build(), BodyHandlers.ofString()).body();
  }

  /** The certificate is checked on each route. */
  @Test
  void anUpstreamThatNoAuthorityKnowsGetsNothing() throws Exception {
    try (var upstream = new TlsUpstream(TlsUpstream.context(keys));
        var rig =
            new RoutedRig(
                "to: https://localhost:"
                    + upstream.port()
                    + "\nlimits: {api: peer(1/1h)} # UPSTREAM\nroutes: [{limit: api}]\n")) {
      assertEquals(502, rig.get("/"));
      assertEquals(502, rig.get("/"), "its permit is given back");
      assertFalse(upstream.reached());
      rig.atRest();
    }
  }
}
