package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import dev.pacegate.pekko.Arrivals.Arrival;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.pekko.stream.OverflowStrategy;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Source;
import org.junit.jupiter.api.Test;

/** {@link Batches} in random worlds, beside a naive model that looks at every millisecond. */
class BatchesWorldTest extends StreamTest {

  private static final int MILLIS = 400;

  /** The rule of a world; elements are their own weights. */
  private record Rule(int maxCount, int maxWeight, int within, int gap) {

    static Rule random(Random random) {
      return new Rule(
          1 + random.nextInt(6),
          random.nextBoolean() ? 1000 : 1 + random.nextInt(12),
          random.nextBoolean() ? 0 : random.nextInt(30),
          1 + random.nextInt(40));
    }
  }

  /** What {@link Batches} is to do, one step after another. */
  private static final class Model {

    private final Rule rule;
    private final ArrayDeque<Integer> upstream = new ArrayDeque<>();
    private final List<Integer> gathered = new ArrayList<>();
    private final List<Arrival<List<Integer>>> batches = new ArrayList<>();
    private Integer left = -1; // what did not fit in any more
    private long leftCame;
    private long demand;
    private long began; // the batch
    private long last = Long.MIN_VALUE / 2;
    private boolean ending;
    private boolean ended;

    Model(Rule rule) {
      this.rule = rule;
    }

    void settle(long now) {
      boolean changed = true;
      while (changed) {
        changed = leaves(now) || takes(now);
      }
      ended = ending && upstream.isEmpty() && gathered.isEmpty();
    }

    private boolean leaves(long now) {
      boolean full =
          left >= 0 || gathered.size() == rule.maxCount || weight(gathered) >= rule.maxWeight;
      boolean due = full || now >= began + rule.within || (ending && upstream.isEmpty());
      if (gathered.isEmpty() || !due || demand == 0 || now < last + rule.gap) {
        return false;
      }
      batches.add(new Arrival<>(now, List.copyOf(gathered)));
      gathered.clear();
      last = now;
      demand--;
      if (left >= 0) {
        gathered.add(left);
        left = -1;
        began = leftCame;
      }
      return true;
    }

    private boolean takes(long now) {
      if (left >= 0 || gathered.size() == rule.maxCount || upstream.isEmpty()) {
        return false;
      }
      int element = upstream.remove();
      if (gathered.isEmpty()) {
        began = now;
        gathered.add(element);
      } else if (weight(gathered) + element <= rule.maxWeight) {
        gathered.add(element);
      } else {
        left = element;
        leftCame = now;
      }
      return true;
    }

    private static int weight(List<Integer> elements) {
      return elements.stream().mapToInt(Integer::intValue).sum();
    }
  }

  @Test
  void doesWhatTheModelDoes() {
    long seed = new Random().nextLong();
    for (int i = 0; i < 150; i++) {
      play(seed + i);
    }
  }

  private void play(long seed) {
    var random = new Random(seed);
    Rule rule = Rule.random(random);
    String world = "seed " + seed + ": " + rule;
    ManualTime clock = ManualTime.manual(random.nextLong());
    var model = new Model(rule);
    var arrivals = new Arrivals<List<Integer>>(clock).asking(0);
    long origin = clock.nanoTime();
    var queue =
        Source.<Integer>queue(10_000, OverflowStrategy.fail())
            .via(
                Batches.<Integer>upTo(rule.maxCount)
                    .weighing(rule.maxWeight, element -> element)
                    .within(Duration.ofMillis(rule.within))
                    .time(clock)
                    .apart(Duration.ofMillis(rule.gap)))
            .toMat(arrivals.sink(), Keep.left())
            .run(materializer);
    int busy = 1 + random.nextInt(30);
    for (long now = 0; now < MILLIS; now++) {
      model.settle(now);
      for (int n = random.nextInt(busy); n < 2; n++) {
        int element = random.nextInt(6);
        model.upstream.add(element);
        model.settle(now);
        var unused = queue.offer(element);
      }
      if (random.nextInt(busy) == 0) {
        int demand = 1 + random.nextInt(4);
        model.demand += demand;
        model.settle(now);
        arrivals.ask(demand);
      }
      clock.advance(Duration.ofMillis(1));
    }
    model.ending = true;
    model.settle(MILLIS);
    queue.complete();
    for (long now = MILLIS; !model.ended; now++) {
      model.demand++;
      model.settle(now);
      arrivals.ask(1);
      clock.advance(Duration.ofMillis(1));
      model.settle(now + 1);
    }
    assertEquals(model.batches, since(origin, arrivals), world);
    assertTrue(arrivals.completed, world);
    assertTrue(arrivals.verdict(Limits.spacing(Duration.ofMillis(rule.gap))).kept(), world);
    assertEquals(0, clock.pending(), world);
  }

  private static List<Arrival<List<Integer>>> since(long origin, Arrivals<List<Integer>> arrivals) {
    var since = new ArrayList<Arrival<List<Integer>>>();
    for (int i = 0; i < arrivals.all.size(); i++) {
      long nanos = arrivals.instants.get(i) - origin;
      since.add(new Arrival<>(nanos / 1_000_000, arrivals.all.get(i).element()));
    }
    return since;
  }
}
