package dev.pacegate.adapter.tck;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.tck.UrlConnectionClient.Mistake;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** The adapter of docs/adapters.md, with redirects. */
class UrlConnectionTest extends AdapterRules {

  @Override
  protected ClientUnderTest paced(Limiter limiter, HttpVersion version) {
    return new UrlConnectionClient(limiter, Mistake.NONE);
  }

  @Override
  protected Set<ClientFeature> features() {
    return EnumSet.of(ClientFeature.REDIRECTS, ClientFeature.CONNECTION_RETRIES);
  }

  /** The page says so: the JDK sends a GET once more by itself, which cannot be turned off. */
  @Test
  @Override
  public void eachRetryAfterAClosedConnectionTakesAPermit() {
    AssertionError found =
        assertThrows(AssertionError.class, super::eachRetryAfterAClosedConnectionTakesAPermit);
    assertTrue(("" + found.getMessage()).contains("more requests than permits"), found::getMessage);
  }

  @Test
  @Override
  @Disabled("the storm closes connections, too")
  public void theLimitIsKeptInAStorm() throws Exception {
    super.theLimitIsKeptInAStorm();
  }
}
