package dev.pacegate.guava;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import dev.pacegate.time.ManualTime;
import dev.pacegate.waiting.Crew;
import dev.pacegate.waiting.Crew.Kind;
import dev.pacegate.waiting.Crew.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several callers at once get the instants that Guava gives them, in the order of their coming. */
class GuavaCrowdTest {

  private static final String WARM = "warmup(5/1s, over=0s)";
  private static final String BURSTY = "bucket(5/1s, burst=5, pay=later, debt=1000, initial=empty)";

  @ParameterizedTest
  @CsvSource({
    BURSTY_EACH + ", FUTURE, 1 1 1 1 1, 0 200 400 600 800",
    BURSTY_EACH + ", THREAD, 1 1 1 1 1, 0 200 400 600 800",
    BURSTY_EACH + ", FUTURE, 1 3 1 1 2, 0 200 800 1000 1200",
    BURSTY_EACH + ", THREAD, 1 3 1 1 2, 0 200 800 1000 1200",
    BURSTY_EACH + ", THREAD, 1 3 1 2 1, 0 200 800 1000 1400",
    WARM_EACH + ", FUTURE, 1 1 1 1 1, 0 200 400 600 800",
    WARM_EACH + ", THREAD, 1 3 1 1 2, 0 200 800 1000 1200",
  })
  void fiveAtOnce(String kind, Kind callers, String costs, String millis) {
    var time = ManualTime.manual(7);
    Limiter limiter =
        Limiter.builder(kind.equals("warm") ? WARM : BURSTY)
            .time(time)
            .executor(Runnable::run)
            .stamped(true)
            .build();
    var model = GuavaModel.bursty(5, 1, 0);
    var planned = new ArrayList<Long>();
    var crowd = new ArrayList<Place>();
    for (String cost : costs.split(" ", -1)) {
      planned.add(Math.round(model.acquire(0, Double.parseDouble(cost)) / 1e6));
      crowd.add(callers.ask(limiter, Long.parseLong(cost)));
      if (crowd.size() == 1) {
        crowd.get(0).permit();
      }
      Crew.awaitWaiting(limiter, crowd.size() - 1);
    }
    List<Long> expected = List.of(millis.split(" ", -1)).stream().map(Long::valueOf).toList();
    assertEquals(expected, planned, "the model of Guava");
    for (int i = 1; i < crowd.size(); i++) {
      time.advance(Duration.ofMillis(expected.get(i) - expected.get(i - 1)));
      crowd.get(i).permit();
    }
    assertEquals(
        expected,
        crowd.stream().map(place -> (place.permit().releasedAt() - 7) / 1_000_000).toList());
  }

  private static final String BURSTY_EACH = "bursty";
  private static final String WARM_EACH = "warm";
}
