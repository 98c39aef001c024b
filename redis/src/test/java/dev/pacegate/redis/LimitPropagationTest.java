package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.spi.FedMeter;
import dev.pacegate.limit.spi.MeterSource.MeterContext;
import dev.pacegate.limit.spi.NewsSink;
import dev.pacegate.time.ManualTime;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

/** How tags are given the limit of the first, by a store that keeps a limit for each record. */
class LimitPropagationTest {

  private static final String OLD = "10/1s";
  private static final String NEW = "20/1s";
  private static final int COUNT = 4;
  private static final Tags TAGS = new Tags("x", COUNT);
  private static final int REPLACED = 1; // arguments of a change, as the next
  private static final int NEXT = 17;

  private final ManualTime time = ManualTime.manual(1_000_000_000);
  private final Deque<Asked> calls = new ArrayDeque<>(); // not answered
  private final Map<String, String> limits = new HashMap<>(); // by the record
  private final Map<String, Integer> revisions = new HashMap<>();
  private String known = OLD; // by this process
  private final List<String> told = new ArrayList<>();
  private int answered;
  private final Store store =
      new Store(Asked.connection(calls::add), new Wire(), problem -> problem, () -> {}, time);
  private final LimitPropagation propagation =
      new LimitPropagation(new Known(), COUNT, "label", store, time);

  LimitPropagationTest() {
    for (int tag = 0; tag < COUNT; tag++) {
      set(tag, OLD);
    }
  }

  private final class Known implements KeysLimit {

    @Override
    public Address address(int tag) {
      return Address.of("x", TAGS, tag, "secret");
    }

    @Override
    public Terms known() {
      return terms(known);
    }

    @Override
    public Terms terms(String limit) {
      return Terms.of(Limits.parse(limit), Duration.ZERO);
    }

    @Override
    public void followFirst(Reply reply) {
      told.add(reply.limit());
      known = reply.limit();
    }
  }

  private static Terms old() {
    return Terms.of(Limits.parse(OLD), Duration.ZERO);
  }

  private void set(int tag, String limit) {
    limits.put(TAGS.record(tag), limit);
    revisions.merge(TAGS.record(tag), 1, Integer::sum);
  }

  private List<String> limits() {
    return Arrays.asList(limit(0), limit(1), limit(2), limit(3));
  }

  private String limit(int tag) {
    return limits.getOrDefault(TAGS.record(tag), "");
  }

  /** Answers all that is asked but of the first tag; that too if it is there. */
  private void answerAll(boolean isFirstThere) {
    var kept = new ArrayList<Asked>();
    while (!calls.isEmpty()) {
      Asked call = calls.remove();
      if (isFirstThere || !call.key(0).equals(TAGS.record(0))) {
        answer(call);
      } else {
        kept.add(call);
      }
    }
    calls.addAll(kept);
  }

  private void answer(Asked call) {
    answered++;
    String record = call.key(0);
    if (call.argument(REPLACED).equals("" + revisions.get(record))) {
      limits.put(record, call.argument(NEXT));
      revisions.merge(record, 1, Integer::sum);
    }
    call.complete(
        ReplyFields.of(limits.getOrDefault(record, ""))
            .revision("" + revisions.get(record))
            .toReply());
  }

  private void refuseAll() {
    List<Asked> all = List.copyOf(calls);
    calls.clear();
    all.forEach(call -> call.completeExceptionally(new RedisCommandExecutionException("away")));
  }

  @Test
  void allTagsGetTheLimitOfTheFirst() {
    set(0, NEW);
    set(2, NEW);
    propagation.toAll();
    answerAll(true);
    assertEquals(List.of(NEW, NEW, NEW, NEW), limits());
    assertEquals(List.of(NEW, NEW, NEW), told);
    assertEquals(0, time.pending());
  }

  /** Another process changes the first tag, after this one has looked at it. */
  @Test
  void aChangeInBetweenIsNotUndone() {
    set(0, NEW);
    propagation.toAll();
    answerAll(false); // what the other tags have
    List<Asked> ofFirst = List.copyOf(calls);
    calls.clear();
    ofFirst.forEach(this::answer);
    set(0, "30/1s");
    set(1, "30/1s"); // by that process
    answerAll(true);
    assertEquals(List.of("30/1s", "30/1s", "30/1s", "30/1s"), limits());
  }

  @Test
  void aChangeThatComesWhileOneIsUnderWayReachesTheTagsToo() {
    propagation.toAll();
    answerAll(false); // what the other tags have
    List<Asked> ofFirst = List.copyOf(calls);
    calls.clear();
    set(0, NEW);
    propagation.toAll();
    ofFirst.forEach(call -> call.complete(ReplyFields.of(OLD).toReply())); // from before
    answerAll(true);
    assertEquals(List.of(NEW, NEW, NEW, NEW), limits());
  }

  @Test
  void aTagThatFailsIsTriedAgainAndToldOnce() {
    try (var log = new LoggedLines()) {
      set(0, NEW);
      propagation.toAll();
      for (int i = 0; i < 5; i++) {
        refuseAll();
        time.advance(Duration.ofSeconds(2));
      }
      assertEquals(COUNT - 1, calls.size(), "one for each");
      answerAll(true);
      assertEquals(List.of(NEW, NEW, NEW, NEW), limits());
      assertEquals(1, log.with("x: a part of the keys has another limit").size());
      assertEquals(0, time.pending());
    }
  }

  @Test
  void aClosedStoreEndsIt() {
    propagation.toAll();
    store.close(Duration.ZERO);
    assertEquals(0, time.pending());
  }

  /** However often keys are told of it while the first tag is away, little is kept, or asked. */
  @Test
  void keysGoOnUnderTheLimitOfTheirTagUntilItHasThatOfTheFirst() {
    set(0, NEW);
    known = NEW;
    var one = new Key(1, "one");
    var two = new Key(2, "two");
    for (int i = 0; i < 100; i++) {
      propagation.goOnBehind(one.address, one, old());
      propagation.goOnBehind(two.address, two, old());
      answerAll(false);
    }
    assertEquals(2, calls.size());
    assertEquals(2, answered);
    assertEquals(OLD, one.limit());
    answerAll(true);
    assertEquals(List.of(NEW, OLD), List.of(limit(1), limit(3)));
    assertEquals(101, one.changes.size());
    assertEquals(NEW, one.limit());
    assertEquals(NEW, two.limit());
  }

  @Test
  void aKeyGoesOnUntilItsOwnTagHasTheLimit() {
    set(0, NEW);
    known = NEW;
    var one = new Key(1, "one");
    var three = new Key(3, "three");
    propagation.goOnBehind(one.address, one, old());
    propagation.goOnBehind(three.address, three, old());
    while (calls.size() > 1) {
      answer(calls.removeLast());
    }
    assertEquals(List.of(OLD, NEW), List.of(one.limit(), three.limit()));
  }

  /** Its tag may have to wait for ever: no key that is dropped is kept until then. */
  @Test
  void aKeyThatIsDroppedIsKeptNoLongerThoughAReplyComesLate() {
    var settings =
        new Settings(WhenDown.WAIT, null, false, new KeyHash("a secret of all nodes"), "label");
    var source = new SharedSource("x", settings.hash(), TAGS, settings, store, time);
    List<Key> keys = List.of(new Key(1, "dropped"), new Key(1, "kept"));
    List<FedMeter> meters = keys.stream().map(key -> meter(source, key)).toList();
    source.followFirst(reply(NEW));
    keys.forEach(key -> source.follow(reply(OLD), key.address, key, null));
    meters.get(0).retire(0);
    source.follow(reply(OLD), keys.get(0).address, keys.get(0), null);
    set(0, NEW);
    answerAll(true);
    assertEquals(List.of(OLD, NEW), keys.stream().map(Key::limit).toList());
  }

  private static FedMeter meter(SharedSource source, Key key) {
    Optional<NewsSink> all = Optional.of(new Key(0, "all"));
    Optional<Object> name = Optional.of("a");
    return source.newMeter(
        new MeterContext(Limits.parse(OLD), name, 0, InstantSource.system(), key, all));
  }

  private static Reply reply(String limit) {
    return new Replies(ReplyFields.of(limit).toReply()).of(0, 1);
  }

  @Test
  void aKeyThatThrowsKeepsNoOtherFromItsLimit() {
    set(0, NEW);
    known = NEW;
    List<Key> keys = List.of(new Key(1, "a"), new Key(1, "b"), new Key(1, "c"), new Key(1, "d"));
    keys.forEach(key -> propagation.goOnBehind(key.address, key, old()));
    keys.forEach(key -> key.isThrowing = key.address.equals(keys.get(1).address));
    answerAll(true);
    assertEquals(List.of(NEW, OLD, NEW, NEW), keys.stream().map(Key::limit).toList());
    assertEquals(0, time.pending());
  }

  /** A key, as its limiter hears of it. */
  private static final class Key implements NewsSink {
    final Address address;
    final List<String> changes = new ArrayList<>();
    boolean isThrowing;

    Key(int tag, String hash) {
      this.address = new Address("x", tag, TAGS.record(tag), hash, TAGS.check("secret"));
    }

    String limit() {
      return changes.get(changes.size() - 1);
    }

    @Override
    public long now() {
      return 0;
    }

    @Override
    public void tell(LongConsumer news) {
      news.accept(0);
    }

    @Override
    public void change(Limit next) {
      if (isThrowing) {
        throw new IllegalStateException("of a test");
      }
      changes.add(next.toString());
    }

    @Override
    public void refuse(String why) {
      throw new AssertionError(why);
    }
  }
}
