package dev.pacegate.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vertx.core.dns.AddressResolverOptions;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Names of upstreams that are not found, or late: nothing is sent, and others go on. */
@Timeout(120)
class NamesTest {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration LONG = Duration.ofMinutes(5);

  /** One permit an hour: a second request gets one only if that of the first was given back. */
  private static RoutedRig rig(NameServer names, String host, Duration connect) throws Exception {
    return rig(names, host, connect, LONG);
  }

  private static RoutedRig rig(NameServer names, String host, Duration connect, Duration query)
      throws Exception {
    String file =
        """
        limits: {one: peer(1/1h), others: unlimited}
        routes:
        - {match: {path: /named}, limit: one, to: %s}
        - {limit: others, to: UPSTREAM}
        """;
    return new RoutedRig(
        file.formatted("http://" + host + ":PORT"),
        1000,
        options ->
            options
                .connect(connect)
                .names(
                    new AddressResolverOptions()
                        .addServer(names.address())
                        .setMaxQueries(2)
                        .setQueryTimeout(query.toMillis())));
  }

  @Test
  void aNameThatDoesNotExistTakesNoPermit() throws Exception {
    try (var names = new NameServer(true);
        var rig = rig(names, "api.invalid", LONG)) {
      assertEquals(502, rig.get("/named"));
      assertEquals(502, rig.get("/named"));
      assertEquals(200, rig.get("/other"));
      rig.atRest();
      assertEquals(List.of("GET /other"), rig.arrived);
      assertTold(rig, "its name is not found");
    }
  }

  /** Whether there is such a name is not known then. */
  @Test
  void aServerOfNamesThatFailsIsToldApart() throws Exception {
    try (var names = new NameServer(true);
        var rig = rig(names, "api.broken", LONG)) {
      assertEquals(502, rig.get("/named"));
      assertTold(rig, "its name server fails");
    }
  }

  @Test
  void aServerOfNamesThatSaysNothingIsToldApart() throws Exception {
    try (var names = new NameServer(false);
        var rig = rig(names, "api.test", LONG, SECOND)) {
      assertEquals(502, rig.get("/named"));
      assertTold(rig, "its name server does not answer");
    }
  }

  private static void assertTold(RoutedRig rig, String cause) throws Exception {
    String line = "GET from 127.0.0.1 refused: 502 the upstream cannot be reached: " + cause;
    ProxyRig.eventually(() -> !rig.log.isEmpty());
    assertEquals(line, rig.log.get(0));
  }

  @Test
  void aServerOfNamesThatIsSilentHoldsNothingElseUp() throws Exception {
    try (var names = new NameServer(false);
        var rig = rig(names, "api.test", LONG)) {
      CompletableFuture<Integer> waits = rig.send("/named");
      ProxyRig.eventually(() -> names.asked.get() > 0);
      assertEquals(200, rig.get("/other"));
      names.answer();
      assertEquals(200, waits.get());
      rig.atRest();
      assertEquals(List.of("GET /other", "GET /named"), rig.arrived);
    }
  }

  @Test
  void anAddressThatComesTooLateIsForTheNextRequest() throws Exception {
    try (var names = new NameServer(false);
        var rig = rig(names, "api.test", SECOND)) {
      assertEquals(502, rig.get("/named"));
      rig.atRest();
      names.answer();
      assertEquals(200, rig.get("/named"), "that permit was given back");
      assertEquals(List.of("GET /named"), rig.arrived);
      rig.atRest();
    }
  }

  @Test
  void aClientThatGoesBeforeTheAddressComesSendsNothing() throws Exception {
    try (var names = new NameServer(false);
        var rig = rig(names, "api.test", LONG)) {
      var asked = rig.client.sendAsync(rig.request("/named").build(), BodyHandlers.discarding());
      ProxyRig.eventually(() -> names.asked.get() > 0);
      asked.cancel(true);
      ProxyRig.eventually(() -> rig.proxy.open() == 0);
      names.answer();
      rig.atRest();
      assertEquals(200, rig.get("/named"));
      assertEquals(List.of("GET /named"), rig.arrived);
    }
  }
}
