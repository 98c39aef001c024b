package dev.pacegate.adapter.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pacegate.Limiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The tests that each adapter must pass. Extend this class and tell how to make the client:
 *
 * <pre>{@code
 * class MyAdapterTest extends AdapterRules {
 *   @Override
 *   protected ClientUnderTest paced(Limiter limiter, HttpVersion version) {
 *     return new MyClientUnderTest(MyAdapter.builder().limiter(limiter).build());
 *   }
 * }
 * }</pre>
 *
 * <p><b>Judged</b> at servers of this kit, which redirect, ask for credentials, refuse, stall and
 * cut: each request that arrives has a permit of its own. In no interval do more arrive than the
 * limit allows, nor if each counts at the end of its response, or at any instant between. A request
 * that may have been counted is lost, one that was not sent costs nothing, a refusal pauses the
 * limiter, and a call that is cancelled leaves the queue. At the end no permit is open, and nothing
 * waits.
 *
 * <p>The tests take a few seconds of real time. A busy machine makes them longer, but fails none.
 * Those that take longest have the tag {@code slow}.
 */
@Timeout(180)
public abstract class AdapterRules {

  /** So long that no busy machine takes longer. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** How long the client without an adapter is waited for: it may never leave a queue. */
  private static final Duration SHORT_PATIENCE = Duration.ofSeconds(5);

  private final long seed =
      Long.getLong("pacegate.seed", ThreadLocalRandom.current().nextLong(1_000_000));

  /** For subclasses. */
  protected AdapterRules() {}

  /**
   * Returns a client whose requests take their permits from {@code limiter}, with feedback and
   * without a bound of waits. All of its {@link #features} are on; it has a user and a password for
   * servers that ask for them. It is used by up to 12 threads.
   *
   * @param version what it speaks; HTTP/2 only if it is one of its features
   * @throws Exception if there is no client
   */
  protected abstract ClientUnderTest paced(Limiter limiter, HttpVersion version) throws Exception;

  /**
   * Returns the same client without an adapter. Needed only for {@link #comparison}.
   *
   * @throws Exception if there is no client
   */
  protected ClientUnderTest unpaced(HttpVersion version) throws Exception {
    throw new UnsupportedOperationException("override unpaced to compare");
  }

  /**
   * Returns the features of the client. If one of them has no effect its test fails, as it would
   * prove nothing. Tests of other features are run all the same, but for those of HTTP/2. Default:
   * all.
   */
  protected Set<ClientFeature> features() {
    return EnumSet.allOf(ClientFeature.class);
  }

  /** Each redirect takes a permit. */
  @Test
  public void eachRedirectTakesAPermit() throws Exception {
    assertPasses(AdapterCase.REDIRECTS);
  }

  /** Each round of authentication takes a permit. */
  @Test
  public void eachRoundOfAuthenticationTakesAPermit() throws Exception {
    assertPasses(AdapterCase.AUTHENTICATION);
  }

  /** Each retry of the client after a closed connection takes a permit. */
  @Test
  public void eachRetryAfterAClosedConnectionTakesAPermit() throws Exception {
    assertPasses(AdapterCase.CONNECTION_RETRIES);
  }

  /** Each retry of the client after a 503 takes a permit. */
  @Test
  public void eachRetryAfterAStatusTakesAPermit() throws Exception {
    assertPasses(AdapterCase.STATUS_RETRIES);
  }

  /** A request that timed out may have been counted. */
  @Test
  public void aRequestThatTimesOutIsLost() throws Exception {
    assertPasses(AdapterCase.TIME_OUTS);
  }

  /** A cancelled call leaves the queue; a cancelled request may have been counted. */
  @Test
  public void aCancelledCallLeavesTheQueueAndEndsItsPermit() throws Exception {
    assertPasses(AdapterCase.CANCELLED_CALLS);
  }

  /** A refusal pauses the limiter for as long as it says. */
  @Test
  public void aRefusalPausesTheLimiter() throws Exception {
    assertPasses(AdapterCase.REFUSALS);
  }

  /** A request without a connection gives its permit back. */
  @Test
  public void aRequestWithoutAConnectionCostsNothing() throws Exception {
    assertPasses(AdapterCase.NO_CONNECTION);
  }

  /** A request whose response is cut is lost, and its permit ends. */
  @Test
  public void aCutBodyEndsThePermit() throws Exception {
    assertPasses(AdapterCase.CUT_BODIES);
  }

  /** A permit lasts until the end of the body. */
  @Test
  public void aPermitLastsUntilTheBodyEnds() throws Exception {
    assertPasses(AdapterCase.SLOW_BODIES);
  }

  /** Over HTTP/2 redirects and refused streams take permits. */
  @Test
  public void http2TakesAPermitForEachRequest() throws Exception {
    assertPasses(AdapterCase.HTTP_2);
  }

  /** Whatever happens, the limit is kept and nothing is left over. */
  @Test
  @Tag("slow")
  public void theLimitIsKeptInAStorm() throws Exception {
    assertPasses(AdapterCase.STORM);
  }

  /** The same over HTTP/2. */
  @Test
  @Tag("slow")
  public void theLimitIsKeptInAStormOverHttp2() throws Exception {
    assertPasses(AdapterCase.HTTP_2_STORM);
  }

  private void assertPasses(AdapterCase rule) throws Exception {
    assumeTrue(isJudged(rule), "the client does not speak HTTP/2");
    CaseResult result = CaseRun.of(rule, this::paced, features(), PATIENCE, seed);
    assertEquals("", result.complaint(), () -> rule.title + ", seed " + seed);
  }

  private boolean isJudged(AdapterCase rule) {
    return rule.version == HttpVersion.HTTP_1_1 || features().contains(ClientFeature.HTTP_2);
  }

  /** Returns the names of the cases of {@link #comparison}, in order. */
  public final List<String> cases() {
    return judged().map(rule -> rule.title).toList();
  }

  private Stream<AdapterCase> judged() {
    return Arrays.stream(AdapterCase.values()).filter(this::isJudged);
  }

  /**
   * Runs all cases with the adapter, and once more with a permit around each call of the {@link
   * #unpaced} client.
   *
   * @throws Exception if a client cannot be made
   */
  public final Comparison comparison() throws Exception {
    var rows = new ArrayList<Comparison.ComparedCase>();
    for (AdapterCase rule : judged().toList()) {
      CaseResult adapter = CaseRun.of(rule, this::paced, features(), PATIENCE, seed);
      CaseResult around = CaseRun.of(rule, this::around, features(), SHORT_PATIENCE, seed);
      rows.add(
          new Comparison.ComparedCase(
              rule.title, "`" + rule.limit + "`", adapter.cell(), around.cell()));
    }
    return new Comparison(rows);
  }

  private ClientUnderTest around(Limiter limiter, HttpVersion version) throws Exception {
    return new PermitAroundCalls(limiter, unpaced(version));
  }
}
