package dev.pacegate.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import dev.pacegate.engine.Unchecked;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What keyed limiters keep in memory, and for how long. */
@Tag("jdk")
@SuppressWarnings("System.gc")
@Unchecked("It measures what limiters keep in memory, and for how long.")
class KeyFootprintTest {

  private static boolean collects(BooleanSupplier condition) throws InterruptedException {
    for (int i = 0; i < 200 && !condition.getAsBoolean(); i++) {
      System.gc();
      Thread.sleep(5); // for what collecting takes
    }
    return condition.getAsBoolean();
  }

  private static WeakReference<Object> use(KeyedLimiter<Object> keyed) {
    var key = new Object();
    assertTrue(keyed.tryAcquire(key).isPresent());
    return new WeakReference<>(key);
  }

  private static WeakReference<Object> useAndDrop() {
    return use(KeyedLimiter.of("10/1d"));
  }

  @Test
  void oneThatIsDroppedIsCollectedThoughItsKeysOwe() throws Exception {
    var keys = new ArrayList<WeakReference<Object>>();
    for (int i = 0; i < 10; i++) {
      keys.add(useAndDrop());
    }
    assertTrue(collects(() -> keys.stream().allMatch(key -> key.get() == null)));
  }

  @Test
  void oneThatIsStillReferredToKeepsItsKeys() throws Exception {
    KeyedLimiter<Object> keyed = KeyedLimiter.of("10/1d");
    WeakReference<Object> key = use(keyed);
    WeakReference<Object> other = useAndDrop();
    assertTrue(collects(() -> other.get() == null));
    assertTrue(key.get() != null && keyed.size() == 1);
  }

  @Test
  void closingFreesAllKeysAtOnce() throws Exception {
    var time = ManualTime.manual();
    Limiter all = Limiter.builder("unlimited").time(time).executor(Runnable::run).build();
    KeyedLimiter<Object> keyed = KeyedLimiter.builder("10/1d").within(all).build();
    WeakReference<Object> key = use(keyed);
    keyed.limiter(new Object()).setLimit("20/1d");
    assertEquals(1, time.pending());
    keyed.close();
    assertEquals(0, keyed.size());
    assertEquals(0, time.pending());
    assertTrue(collects(() -> key.get() == null));
    assertThrows(LimiterClosedException.class, () -> keyed.tryAcquire("late"));
    assertThrows(LimiterClosedException.class, () -> keyed.acquire("late"));
    assertEquals(0, keyed.size());
    assertEquals(0, time.pending());
  }

  @Test
  void anOpenPermitCanBeEndedAfterTheClose() {
    var time = ManualTime.manual();
    Limiter all = Limiter.builder("concurrent(1)").time(time).executor(Runnable::run).build();
    KeyedLimiter<String> keyed = KeyedLimiter.builder("peer(2/1m)").within(all).build();
    Permit open = keyed.tryAcquire("a").orElseThrow();
    keyed.close();
    assertTrue(all.tryAcquire().isEmpty());
    open.settle(2);
    open.answered();
    assertTrue(all.tryAcquire().isPresent());
    time.advance(Duration.ofMinutes(5));
    assertEquals(0, keyed.size());
    assertEquals(0, time.pending());
  }

  @Test
  void oneWithASingleKeyIsSmall() throws JMException {
    Limit limit = Limits.parse("10/1d");
    List<KeyedLimiter<String>> kept = make(limit, 1_000); // so that classes are loaded
    long before = used();
    kept.addAll(make(limit, 20_000));
    double each = (used() - before) / 20_000.0;
    assertTrue(each < MOST_BYTES, each + " bytes each");
    assertEquals(1, kept.get(20_999).size());
  }

  /**
   * Of them 100 each for the check of costs and the turns of groups, 30 for the context and the
   * watch of keys at rest, and 8 each for ends without a date and the order of arrivals.
   */
  private static final int MOST_BYTES = 2_320;

  /** The entry of the map is counted, too. Sixteen places for ends at first would be 400 bytes. */
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {"10/1d, 510", "\"bucket(10/1d, burst=10)\", 535", "peer(10/1d), 570"})
  void aKeyIsSmall(String limit, int most) throws JMException {
    KeyedLimiter<Integer> keyed = KeyedLimiter.of(limit);
    useKeys(keyed, 0, 1_000);
    long before = used();
    useKeys(keyed, 1_000, 31_000);
    double each = (used() - before) / 30_000.0;
    assertEquals(31_000, keyed.size());
    assertTrue(each < most, () -> each + " bytes for a key of " + limit);
  }

  private static void useKeys(KeyedLimiter<Integer> keyed, int from, int to) {
    for (int key = from; key < to; key++) {
      keyed.tryAcquire(key).orElseThrow().answered();
    }
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "10/1d, 1600",
        "\"bucket(10/1d, burst=10)\", 1550",
        "peer(10/1d), 1700",
        "concurrent(4), 1500"
      })
  void aLimiterIsSmall(String text, int most) throws JMException {
    Limit limit = Limits.parse(text);
    List<Limiter> kept = makeLimiters(limit, 1_000);
    long before = used();
    kept.addAll(makeLimiters(limit, 20_000));
    double each = (used() - before) / 20_000.0;
    assertEquals(21_000, kept.size());
    assertTrue(each < most, () -> each + " bytes for a limiter of " + limit);
  }

  private static List<Limiter> makeLimiters(Limit limit, int count) {
    var made = new ArrayList<Limiter>(count);
    for (int i = 0; i < count; i++) {
      Limiter limiter = Limiter.builder(limit).name("api").build();
      limiter.tryAcquire().orElseThrow().answered();
      made.add(limiter);
    }
    return made;
  }

  private static List<KeyedLimiter<String>> make(Limit limit, int count) {
    var made = new ArrayList<KeyedLimiter<String>>(count);
    for (int i = 0; i < count; i++) {
      KeyedLimiter<String> keyed = KeyedLimiter.builder(limit).name("api").build();
      assertTrue(keyed.tryAcquire("key").isPresent());
      made.add(keyed);
    }
    return made;
  }

  /** Returns the bytes of all reachable objects, as collectors with many threads leave gaps. */
  private static long used() throws JMException {
    Object histogram =
        ManagementFactory.getPlatformMBeanServer()
            .invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "gcClassHistogram",
                new Object[] {new String[0]},
                new String[] {String[].class.getName()});
    Matcher total = Pattern.compile("(?m)^Total +\\d+ +(\\d+)").matcher((String) histogram);
    assertTrue(total.find(), "no total");
    return Long.parseLong(total.group(1));
  }
}
