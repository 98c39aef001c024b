package dev.pacegate.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.time.ManualTime;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every message writes durations and numbers in one way. */
class MessageStyleTest {

  private static final List<Duration> SPANS =
      List.of(
          Duration.ofMillis(-61_437),
          Duration.ofMillis(61_437),
          Duration.ofNanos(61_437_000_001L),
          Duration.ofDays(200_000),
          Duration.ofSeconds(Long.MIN_VALUE),
          Duration.ofSeconds(Long.MAX_VALUE));

  private final List<String> faults = new ArrayList<>();
  private int refused;

  @Test
  void theStyleKnowsWhatItRefuses() {
    List<String> wrong =
        List.of("open for 60437ms", "at most PT1M", "after 10 ms", "1099511627776 left", "-PT5S");
    for (String message : wrong) {
      assertEquals(1, MessageStyle.faults(message).size(), message);
    }
    String right = "10/90000ms, slack=12345ms: 1m12s, 59.1s, 950ms, 2d3h, 100000 permits";
    assertEquals(List.of(), MessageStyle.faults(right));
  }

  @Test
  void aSnapshotTellsInWordsWhatHasHappened() {
    ManualTime time = ManualTime.manual();
    Limiter limiter = Limiter.builder("peer(2/1m)").name("api").time(time).build();
    assertTrue(limiter.tryAcquire().isPresent());
    limiter.tryAcquire().orElseThrow().lost();
    assertTrue(limiter.tryAcquire().isEmpty());
    time.advance(Duration.ofMillis(61_437));
    limiter.pause();
    assertEquals(
        "Snapshot[api: peer(2/1m); granted 2, refused 1, lost 1, spent by lost requests 1,"
            + " open 1 for up to 1m1s, paused; waited p50 0s, p99 0s, max 0s; most 2, at most 2 in any 1m, counted by the peer at any"
            + " time between start and end]",
        limiter.snapshot().toString());
  }

  @Test
  @Timeout(60)
  void aDurationOutOfRangeIsToldInTheStyleOfAll() {
    for (Class<?> type : PublicTypes.all()) {
      Stream.<Executable>concat(
              Stream.of(type.getConstructors()), Stream.of(type.getDeclaredMethods()))
          .filter(executable -> Modifier.isPublic(executable.getModifiers()))
          .filter(executable -> !Throwable.class.isAssignableFrom(type))
          .filter(executable -> List.of(executable.getParameterTypes()).contains(Duration.class))
          .forEach(executable -> SPANS.forEach(span -> attempt(type, executable, span)));
    }
    assertEquals("", String.join("\n", faults));
    assertTrue(refused > 50, refused + " refused");
  }

  private void attempt(Class<?> type, Executable executable, Duration span) {
    boolean isMade =
        !(executable instanceof Method) || Modifier.isStatic(executable.getModifiers());
    for (Object subject : isMade ? List.of("") : Samples.subjects(type)) {
      var arguments = new ArrayList<Object>();
      for (Class<?> parameter : executable.getParameterTypes()) {
        arguments.add(parameter == Duration.class ? span : Samples.value(parameter));
      }
      attempt(subject, executable, arguments.toArray());
    }
  }

  private void attempt(Object subject, Executable executable, Object[] arguments) {
    try {
      executable.setAccessible(true);
      if (executable instanceof Method method) {
        method.invoke(subject, arguments);
      } else {
        ((Constructor<?>) executable).newInstance(arguments);
      }
    } catch (InvocationTargetException thrown) {
      refused++;
      String where = executable.getDeclaringClass().getSimpleName() + "." + executable.getName();
      faults.addAll(MessageStyle.faults(where + ": " + thrown.getCause()));
      if (thrown.getCause() instanceof ArithmeticException) {
        faults.add(where + ": " + thrown.getCause());
      }
    } catch (ReflectiveOperationException impossible) {
      throw new LinkageError(impossible.getMessage(), impossible);
    }
  }
}
