package dev.pacegate.limiter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.permit.Heard;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The log says what a limit that is put in force hardly means. */
class LimitWarningsTest {

  private static final String LARGE_MARGIN = "aligned(10/1s)";

  private final ManualTime time = ManualTime.manual();
  private final Heard heard = new Heard();

  @AfterEach
  void listensNoLonger() {
    heard.close();
  }

  private Limiter limiter(String limit, String name) {
    return Limiter.builder(limit).name(name).time(time).build();
  }

  @Test
  void aLimiterIsMadeWithAWarning() {
    assertEquals(LARGE_MARGIN, limiter(LARGE_MARGIN, "made").limit().toString());
    List<String> lines = heard.lines("limiter made: ");
    assertEquals(1, lines.size(), lines::toString);
    assertTrue(lines.get(0).contains("aligned(10/1s) uses at most 33 % of what"), lines::toString);
  }

  @Test
  void aLimitThatIsMeantIsNotLogged() {
    Limiter limiter = limiter("10/1s", "meant");
    limiter.setLimit("aligned(10/1m)");
    assertEquals(List.of(), heard.lines("limiter meant: "));
  }

  @Test
  void aChangeIsLoggedOnceAMinute() {
    Limiter limiter = limiter("10/1s", "changed");
    limiter.setLimit(LARGE_MARGIN);
    limiter.setLimit(LARGE_MARGIN);
    limiter.setLimit("aligned(11/1s)");
    assertEquals(1, heard.lines("limiter changed: ").size());
    time.advance(Duration.ofSeconds(61));
    limiter.setLimit("aligned(12/1s)");
    List<String> lines = heard.lines("limiter changed: ");
    assertEquals(2, lines.size(), lines::toString);
    assertTrue(lines.get(1).contains("aligned(12/1s)"), lines::toString);
  }

  @Test
  void keysOfOneLimitAreLoggedOnce() {
    var keyed = KeyedLimiter.builder(LARGE_MARGIN).name("keys").time(time).<Integer>build();
    assertEquals(1, heard.lines("limiter keys: ").size());
    for (int key = 0; key < 100; key++) {
      keyed.limiter(key).setLimit("aligned(" + (key + 20) + "/1s)");
    }
    assertEquals(1, heard.lines("limiter keys: ").size());
  }

  /** A limit of a user's own, whose code fails where only the log is concerned. */
  private record Failing(Limit inside) implements Limit {
    @Override
    public List<Promise> promises() {
      return inside.promises();
    }

    @Override
    public Meter newMeter(long now) {
      return inside.newMeter(now);
    }

    @Override
    public List<String> warnings() {
      throw new IllegalStateException("no warnings today");
    }
  }

  @Test
  void aLimitThatFailsToWarnIsInForce() {
    var limit = new Failing(Limits.parse("1/1s"));
    var limiter = Limiter.builder(limit).name("failing").time(time).build();
    assertTrue(limiter.tryAcquire().isPresent());
    assertTrue(limiter.tryAcquire().isEmpty());
    assertEquals(1, heard.lines("asking a limit for its warnings failed").size());
  }
}
