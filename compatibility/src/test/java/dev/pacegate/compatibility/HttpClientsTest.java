package dev.pacegate.compatibility;

import static dev.pacegate.compatibility.Verdicts.assertOutcome;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pacegate.limit.Outcome;
import java.net.URI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the failures of real HTTP clients say of a request, in front of a server that fails. */
@Timeout(120)
class HttpClientsTest {

  private static Peer peer;

  @BeforeAll
  static void open() throws Exception {
    peer = new Peer();
    for (Clients client : Clients.values()) {
      try {
        client.get(peer.uri("/200")); // loads classes, which may take longer than a time-out
      } catch (Exception late) {
        // It is the next one that counts.
      }
    }
  }

  @AfterAll
  static void close() throws Exception {
    peer.close();
  }

  private static void expect(Outcome expected, Clients client, String path) {
    assertOutcome(expected, client + " " + path, () -> client.get(peer.uri(path)));
  }

  @ParameterizedTest
  @EnumSource
  void aReadTimeOutIsLost(Clients client) {
    expect(Outcome.LOST, client, "/stall");
  }

  @ParameterizedTest
  @EnumSource
  void aTimeOutWithinTheBodyIsLost(Clients client) {
    assumeTrue(client.timesBodies());
    expect(Outcome.LOST, client, "/half");
  }

  @ParameterizedTest
  @EnumSource
  void aResetIsLost(Clients client) {
    expect(Outcome.LOST, client, "/reset");
  }

  @ParameterizedTest
  @EnumSource
  void anEndWithoutAnAnswerIsLost(Clients client) {
    expect(Outcome.LOST, client, "/close");
  }

  @ParameterizedTest
  @EnumSource
  void anEndWithinTheBodyIsLost(Clients client) {
    assumeTrue(client.seesCutBodies());
    expect(Outcome.LOST, client, "/cut");
  }

  @ParameterizedTest
  @EnumSource
  void aStatusIsAnAnswer(Clients client) {
    assumeTrue(client.throwsForStatus());
    expect(Outcome.ANSWERED, client, "/404");
    expect(Outcome.ANSWERED, client, "/429");
    expect(Outcome.ANSWERED, client, "/500");
    expect(Outcome.ANSWERED, client, "/503");
  }

  @ParameterizedTest
  @EnumSource
  void nonsenseIsAnAnswer(Clients client) {
    assumeTrue(client.readsJson());
    expect(Outcome.ANSWERED, client, "/nonsense");
  }

  @ParameterizedTest
  @EnumSource
  void aRefusedConnectionIsNotSent(Clients client) throws Exception {
    URI nowhere = URI.create("http://127.0.0.1:" + Ports.refusing() + "/");
    assertOutcome(Outcome.NOT_SENT, client + " refused", () -> client.get(nowhere));
  }

  /** The JDK's own message says so in English only, as the classes of some clients do not. */
  @ParameterizedTest
  @EnumSource
  void aConnectTimeOutIsNotSent(Clients client) throws Exception {
    try (var full = new Ports.Full()) {
      URI uri = URI.create("http://127.0.0.1:" + full.port() + "/full");
      assertOutcome(Outcome.NOT_SENT, client + " connect time-out", () -> client.get(uri));
    }
  }
}
