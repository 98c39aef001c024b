package dev.pacegate.feedback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** An error that states a wait which has no effect is told once. */
class IgnoredWaitsTest extends FeedbackCases {

  /** The process is told once for each name. */
  private static final AtomicInteger names = new AtomicInteger();

  private final List<String> logged = new ArrayList<>();
  private final IgnoredWaits waits = new IgnoredWaits(logged::add);

  private void tell(String name, int status, String wait) {
    Limiter limiter = Limiter.builder("unlimited").name(name).build();
    waits.tell(limiter, status, feedback.read(answer(status, Map.of("Retry-After", wait))));
  }

  @Test
  void aWaitOfAStatusThatIsNoRefusalIsToldOnceForEachLimiter() {
    tell("a", 413, "30");
    tell("a", 413, "40");
    assertEquals(
        List.of(
            "a response with status 413 asks for a wait of 30s (Retry-After), which has no effect"
                + " because this status is no refusal: if it is one, add AnswerReader.refusals(413) to"
                + " the reader of the feedback"),
        logged);
    tell("b", 413, "30");
    tell("a", 500, "30");
    assertEquals(3, logged.size());
  }

  @Test
  void waitsThatHaveAnEffectAreNotTold() {
    tell("a", 429, "30");
    tell("a", 403, "30");
    tell("a", 503, "30");
    tell("a", 202, "30");
    tell("a", 301, "30");
    tell("a", 404, "0");
    assertEquals(List.of(), logged);
  }

  /** It would be made anew with each answer, and calls a method of the user's. */
  @Test
  void theNameOfAKeyIsNotAskedForWithoutNeed() {
    var asked = new AtomicInteger();
    Object key =
        new Object() {
          @Override
          public String toString() {
            return "key" + asked.incrementAndGet();
          }
        };
    Limiter limiter = KeyedLimiter.<Object>of("10/1s").limiter(key);
    int before = asked.get();
    answer(limiter, 200, Map.of());
    answer(limiter, 200, Map.of("X-RateLimit-Limit", "10", "X-RateLimit-Remaining", "9"));
    answer(limiter, 404, Map.of());
    assertEquals(before, asked.get());
  }

  @Test
  void feedbackTellsOfThem() {
    var lines = new CopyOnWriteArrayList<String>();
    var handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            lines.add(line.getLevel() + ": " + line.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("dev.pacegate.feedback");
    logger.addHandler(handler);
    try {
      String name = "IgnoredWaitsTest " + names.incrementAndGet();
      Limiter limiter = Limiter.builder("10/1s").name(name).time(time).build();
      answer(limiter, 599, Map.of("Retry-After", "30"));
      answer(limiter, 599, Map.of("Retry-After", "30"));
    } finally {
      logger.removeHandler(handler);
    }
    assertEquals(1, lines.stream().filter(line -> line.contains("status 599")).count());
    assertTrue(lines.get(0).startsWith("INFO: "), lines::toString);
    assertTrue(lines.get(0).contains("30s"), lines::toString);
  }
}
