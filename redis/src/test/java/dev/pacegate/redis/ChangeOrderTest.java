package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import dev.pacegate.redis.StoreTwin.Mutant;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Changes of a limit by several processes at once, in each order in which calls can be sent, arrive
 * and be repeated: a change is carried out once at most, and never after one that was carried out
 * since its sender began. The scripts do what the twin does.
 */
class ChangeOrderTest {

  private static final Terms FIRST = terms("10/1s");
  private static final int SENDS = 3; // a call, and two that repeat it

  /** One process that changes the limit to one that only it asks for. */
  private record Changer(
      Terms next, boolean began, String replaced, int sent, int arrived, int at) {
    Changer look(Reply reply, boolean ofKey, int changes) {
      return new Changer(next, true, reply.revisionToReplace(ofKey), sent, arrived, changes);
    }

    Changer send() {
      return new Changer(next, began, replaced, sent + 1, arrived, at);
    }

    Changer arrive() {
      return new Changer(next, began, replaced, sent, arrived + 1, at);
    }
  }

  /** What was carried out so far, and what is under way. */
  private record Step(StoreTwin store, List<Changer> changers, List<String> carriedOut) {
    String text() {
      var text = new StringBuilder(carriedOut.toString()).append(store.run);
      for (Changer each : changers) {
        text.append(each.began).append(each.sent).append(each.arrived).append(each.at);
      }
      return text.toString();
    }

    Step with(StoreTwin next, int index, Changer changer, List<String> done) {
      var others = new ArrayList<>(changers);
      others.set(index, changer);
      return new Step(next, others, done);
    }
  }

  @ParameterizedTest
  @CsvSource({"'', 3", "key, 3", "*, 3"})
  void noOrderOfCallsCarriesAChangeOutTwiceOrAfterALaterOne(String key, int changers) {
    Search search = new Search(key, Mutant.NONE, changers);
    assertEquals("", search.run());
    assertTrue(search.seen.size() > 1000, () -> search.seen.size() + " states");
  }

  @Test
  void aStoreThatRemembersTheLastNameOnlyIsFound() {
    assertNotEquals("", new Search("", Mutant.LAST_NAME_ONLY, 2).run());
  }

  @Test
  void aChangeThatIsRepeatedIsToldTheLimitInForce() {
    StoreTwin store = known("", Mutant.NONE);
    String replaced = store.change("", "", FIRST, FIRST).revisionToReplace(false);
    store.change("", replaced, FIRST, terms("50/1s")); // its reply is lost
    store.set("", FIRST, terms("20/1s"));
    assertEquals("20/1s", store.change("", replaced, FIRST, terms("50/1s")).limit());
  }

  @Test
  void aKeyWithoutALimitOfItsOwnGetsOneThoughThatOfAllIsChangedMeanwhile() {
    StoreTwin store = known("key", Mutant.NONE);
    String replaced = store.change("key", "", FIRST, FIRST).revisionToReplace(true);
    store.set(StoreTwin.ALL_KEYS, FIRST, terms("20/1s"));
    Reply reply = store.change("key", replaced, FIRST, terms("50/1s"));
    assertTrue(reply.hasInForce(terms("50/1s").limit(), true), reply::toString);
  }

  private static StoreTwin known(String key, Mutant mutant) {
    var store = new StoreTwin();
    store.mutant = mutant;
    store.wall = 1_790_000_000_000_000L;
    store.acquire(key, "client", new Request(0, List.of(), "", "", "", List.of()), FIRST, true);
    return store;
  }

  /** Visits all that can happen. */
  private static final class Search {
    private final String key;
    private final Mutant mutant;
    private final int changers;
    final Set<String> seen = new HashSet<>();

    Search(String key, Mutant mutant, int changers) {
      this.key = key;
      this.mutant = mutant;
      this.changers = changers;
    }

    /** Returns what is wrong with one; empty if nothing is. */
    String run() {
      var first = new ArrayList<Changer>();
      for (int i = 0; i < changers; i++) {
        first.add(new Changer(terms(20 + i + "/1s"), false, "", 0, 0, 0));
      }
      var ahead = new ArrayDeque<Step>();
      ahead.push(new Step(known(key, mutant), first, List.of()));
      while (!ahead.isEmpty()) {
        for (Step next : after(ahead.pop())) {
          if (next.carriedOut.contains("wrong")) {
            return next.carriedOut.toString();
          } else if (seen.add(next.text())) {
            ahead.push(next);
          }
        }
      }
      return "";
    }

    private List<Step> after(Step step) {
      var next = new ArrayList<Step>();
      for (int i = 0; i < step.changers.size(); i++) {
        Changer changer = step.changers.get(i);
        if (!changer.began) {
          next.add(look(step, i));
        } else if (changer.sent < SENDS) {
          next.add(step.with(step.store, i, changer.send(), step.carriedOut));
        }
        if (changer.arrived < changer.sent) {
          next.add(arrive(step, i));
        }
      }
      if (step.store.run.equals("a1")) {
        StoreTwin restarted = step.store.copy();
        restarted.run = "a2";
        next.add(new Step(restarted, step.changers, step.carriedOut));
      }
      return next;
    }

    private Step look(Step step, int index) {
      StoreTwin store = step.store.copy();
      store.wall++;
      Reply reply = store.change(key, "", FIRST, FIRST);
      boolean ofKey = !key.isEmpty() && !key.equals(StoreTwin.ALL_KEYS);
      Changer changer = step.changers.get(index).look(reply, ofKey, step.carriedOut.size());
      return step.with(store, index, changer, step.carriedOut);
    }

    private Step arrive(Step step, int index) {
      StoreTwin store = step.store.copy();
      store.wall++;
      Changer changer = step.changers.get(index);
      String limit = changer.next.limit().toString();
      String before = store.change(key, "", FIRST, FIRST).revision();
      boolean isCarriedOut =
          !store.change(key, changer.replaced, FIRST, changer.next).revision().equals(before);
      var done = new ArrayList<>(step.carriedOut);
      if (isCarriedOut) {
        boolean isLate = done.size() > changer.at;
        done.add(limit);
        if (isLate) {
          done.add("wrong");
        }
      }
      return step.with(store, index, changer.arrive(), done);
    }
  }

  private static Terms terms(String limit) {
    return Terms.of(Limits.parse(limit), Duration.ZERO);
  }
}
