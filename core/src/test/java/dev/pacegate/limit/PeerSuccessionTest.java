package dev.pacegate.limit;

import static dev.pacegate.limit.Successions.CASES;
import static dev.pacegate.limit.Successions.PEERS;
import static dev.pacegate.limit.Successions.SECOND;
import static dev.pacegate.limit.Successions.UNANSWERED;
import static dev.pacegate.limit.Successions.any;
import static dev.pacegate.limit.Successions.assertWithin;
import static dev.pacegate.limit.Successions.isWithin;
import static dev.pacegate.limit.Successions.keeps;
import static dev.pacegate.limit.Successions.playAndChange;
import static dev.pacegate.limit.Successions.tell;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What holds across a change while requests are open, as the peer counts them. */
class PeerSuccessionTest {

  @Test
  void concurrentCountsWhatHasBeenOpenSinceBeforeASpacing() {
    Seeds.forEach(
        CASES,
        random -> {
          Limit concurrent = Limits.concurrent(3);
          Limit spacing = Limits.parse("spacing(10ms)");
          Changing changing = playAndChange(random, concurrent, spacing, concurrent);
          for (Changing.Request last : changing.requests) {
            if (last.tracked) {
              long before =
                  changing.requests.subList(0, changing.requests.indexOf(last)).stream()
                      .filter(r -> r.tracked && r.closed > last.start)
                      .count();
              assertTrue(before + 1 <= 3, () -> before + " open at " + last + tell(changing));
            }
          }
          while (!changing.open.isEmpty()) {
            changing.end(changing.open.get(0), Outcome.ANSWERED);
          }
          assertEquals(3, changing.drain(Cost.ONE, 10), "the count came back to none");
        });
  }

  @Test
  void aPeersWindowsTakeOverWhatIsOpenEndedAndLost() {
    Seeds.forEach(
        CASES,
        random -> {
          var old = (Peer) any(random, PEERS);
          var fresh = (Peer) any(random, PEERS);
          Changing changing = playAndChange(random, old, fresh, old);
          assertWithin(
              changing, List.of(((Window) old.limit()).rate(), ((Window) fresh.limit()).rate()));
        });
  }

  @Test
  void aPeersOldWindowCountsUntilAnIntervalAfterTheLastOldRequest() {
    var changing = new Changing(Limits.parse("peer(20/1m, margin=0s)"), 0, UNANSWERED);
    assertEquals(14, changing.drain(Cost.ONE, 14));
    changing.change(Limits.parse("peer(3/10s, margin=0s)"));
    changing.now = 100 * SECOND;
    while (!changing.open.isEmpty()) {
      changing.end(changing.open.get(0), Outcome.ANSWERED);
    }
    // Twenty in a minute at most, of which fourteen have just been counted.
    int released = 0;
    for (; changing.now < 160 * SECOND; changing.now += SECOND) {
      released += changing.drain(Cost.ONE, 10);
      while (!changing.open.isEmpty()) {
        changing.end(changing.open.get(0), Outcome.ANSWERED);
      }
    }
    assertEquals(6, released);
    assertEquals(3, changing.drain(Cost.ONE, 10));
  }

  @Test
  void aPeersBucketStillExpectsWhatThePeersBucketBeforeItLost() {
    String text = "peer(bucket(1/1s, burst=10, initial=full), unanswered=20s, margin=0s)";
    var changing = new Changing(Limits.parse(text), 0, UNANSWERED);
    assertEquals(10, changing.drain(Cost.ONE, 20));
    while (!changing.open.isEmpty()) {
      changing.end(changing.open.get(0), Outcome.LOST);
    }
    changing.change(Limits.parse(text));
    changing.now = 15 * SECOND;
    assertEquals(6 * SECOND, changing.ask(Cost.ONE), "all ten may yet be counted at 20 s");
  }

  @Test
  void ofWhatAWindowLetThroughThePeerMayCountAnyUntilItIsOutdated() {
    Seeds.forEach(
        CASES,
        random -> {
          Limit old = any(random, List.of("10/1m", "5/10s", "2/1s", "10/1m & concurrent(4)"));
          var fresh = (Peer) any(random, PEERS);
          Changing changing = playAndChange(random, old, fresh);
          long nanos = ((Window) fresh.limit()).rate().nanos();
          long max = ((Window) fresh.limit()).rate().permits();
          for (Changing.Request last : changing.requests) {
            if (last.era == 0) {
              continue;
            }
            long from = last.start - nanos + 1;
            long sum = 0;
            long before = 0;
            for (Changing.Request r : changing.requests) {
              // Of what ended before the change, only the start is known.
              boolean known = r.era > 0 || (r.tracked && r.closedIn > 0);
              long until = known ? r.end : r.start + UNANSWERED;
              if (r.counts && r.start <= last.start && until >= from) {
                sum += r.cost.amount();
                before += r.era == 0 ? r.cost.amount() : 0;
              }
            }
            long all = sum;
            assertTrue(all <= max || before > max, () -> all + " up to " + last + tell(changing));
          }
        });
  }

  @Test
  void aPeersBucketTakesOverWhatTheOldLimitLost() {
    Seeds.forEach(
        CASES,
        random -> {
          var old =
              (Peer)
                  any(
                      random,
                      List.of(
                          "peer(10/10s, unanswered=20s)",
                          "peer(5/1s, unanswered=20s)",
                          "peer(bucket(1/1s, burst=10), unanswered=20s)",
                          "peer(bucket(5/1s, burst=3), unanswered=20s)"));
          var fresh =
              (Peer)
                  any(
                      random,
                      List.of(
                          "peer(bucket(1/1s, burst=10), unanswered=20s)",
                          "peer(bucket(2/1s, burst=5), unanswered=20s)"));
          Changing changing = playAndChange(random, old, fresh);
          judgeCounts(changing, old.limit(), (Bucket) fresh.limit(), random);
        });
  }

  /** Lets the peer count each request at a random instant, and judges those instants. */
  private static void judgeCounts(
      Changing changing, Limit old, Bucket bucket, SplittableRandom random) {
    int era = changing.limits.size() - 1;
    List<Changing.Request> counts =
        changing.requests.stream()
            .filter(r -> r.counts)
            .map(
                r -> new Changing.Request(countedAt(r, changing.now, random), r.cost, r.era, false))
            .sorted((a, b) -> Long.compare(a.start, b.start))
            .toList();
    for (int last = 0; last < counts.size(); last++) {
      for (int first = 0; first <= last; first++) {
        List<Changing.Request> span = counts.subList(first, last + 1);
        List<Changing.Request> before = span.stream().filter(r -> r.era < era).toList();
        if (span.size() > before.size()) {
          assertTrue(
              isWithin(span, bucket)
                  || !keeps(bucket, before)
                  || (old instanceof Bucket larger && isWithin(span, larger)),
              () -> span + tell(changing));
        }
      }
    }
  }

  private static long countedAt(Changing.Request request, long now, SplittableRandom random) {
    long end = Math.min(request.end, now);
    return switch (random.nextInt(3)) {
      case 0 -> request.start;
      case 1 -> end;
      default -> request.start + random.nextLong(end - request.start + 1);
    };
  }
}
