package dev.pacegate.redis;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.pacegate.time.ManualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A call counts as answered once all replicas that its reply names have confirmed it. */
class ConfirmationTest {

  private final Wire wire = new Wire();
  private final List<Asked> asked = new ArrayList<>();
  private int namings; // of replicas
  private final Store store =
      new Store(
          Asked.connection(asked::add),
          wire,
          problem -> problem,
          () -> namings++,
          ManualTime.manual(1_000_000_000));
  private @Nullable Reply reply;
  private int replies;
  private @Nullable Throwable failure;

  @Test
  void withoutReplicasNothingIsWaitedFor() {
    call();
    answer(0);
    assertNotNull(reply);
    assertEquals(0, asked.size());
    assertEquals(0, namings);
  }

  @Test
  void aReplyThatNamesReplicasIsWaitedFor() {
    call();
    answer(2);
    assertEquals(1, namings);
    assertNull(reply);
    assertEquals("waitForReplication 2", asked.get(0).text());
    confirm(2);
    assertNotNull(reply);
  }

  /** The server reads nothing else meanwhile: one question for each call would hold up all. */
  @Test
  void callsThatAreAnsweredWhileAnotherIsConfirmedShareTheNextQuestion() {
    call();
    answer(1);
    Asked first = asked.remove(0);
    Asked list = asked.remove(0);
    call();
    answer(2);
    call();
    answer(2);
    assertEquals(0, asked.size());
    first.complete(1L);
    list.complete("");
    assertEquals(1, replies);
    assertEquals("waitForReplication 2", asked.get(0).text());
    confirm(2);
    assertNotNull(reply);
    assertEquals(3, replies);
    assertEquals(0, asked.size());
  }

  @Test
  void oneReplicaOfTwoIsNotEnough() {
    call();
    answer(2);
    confirm(1);
    assertNull(reply);
    assertEquals("is waiting for 1 of its 2 replicas, which must confirm each permit", message());
  }

  @Test
  void aConfirmationOnAnotherConnectionIsNotBelieved() {
    call();
    answer(1);
    wire.lose();
    confirm(1);
    assertNull(reply);
    assertEquals("was lost before its replicas had confirmed the latest permits", message());
  }

  @Test
  void aQuestionThatFailsHoldsUpNoLaterOne() {
    call();
    answer(1);
    asked.remove(0).completeExceptionally(new IllegalStateException("away"));
    asked.remove(0).complete("");
    assertNull(reply);
    call();
    answer(1);
    confirm(1);
    assertNotNull(reply);
  }

  @Test
  void aServerThatAsksForItsAddressIsToldItWithItsRun() {
    call();
    asked.remove(0).complete(List.of("run1"));
    assertEquals("run1 ", asked.get(0).argument(0));
    answer(0);
    assertNotNull(reply);
  }

  private @Nullable String message() {
    Throwable told = failure;
    return told == null ? null : told.getMessage();
  }

  private void call() {
    reply = null;
    failure = null;
    store.run(
        Script.ACQUIRE,
        Address.of("api"),
        1,
        Callers.of(
            () -> List.of("argument"),
            why -> {},
            (told, problem) -> {
              reply = told;
              replies += told == null ? 0 : 1;
              failure = problem;
            }));
  }

  private void answer(int replicas) {
    List<String> names = IntStream.range(0, replicas).mapToObj(this::name).toList();
    asked.remove(0).complete(ReplyFields.of("10/1s").replicas(names).toReply());
  }

  private String name(int replica) {
    return "10.0.0.2:" + replica;
  }

  /** WAIT is answered so, and INFO lists replicas that have confirmed something lately. */
  private void confirm(int count) {
    confirm(count, count);
  }

  private void confirm(int count, int listed) {
    Asked wait = asked.remove(0);
    Asked info = asked.remove(0);
    wait.complete((long) count);
    info.complete(
        IntStream.range(0, listed)
            .mapToObj(i -> "slave" + i + ":ip=10.0.0.2,port=" + i + ",state=online,offset=9,lag=1")
            .collect(joining("\r\n")));
  }

  @Test
  void aNewReplicaDoesNotConfirmInPlaceOfOneThatIsNamed() {
    call();
    answer(1);
    confirm(1, 2);
    assertNull(reply);
    assertEquals(
        "has a new replica, which may have confirmed instead of another replica", message());
  }

  @Test
  void aReplicaThatIsNotHeardOfConfirmsNothing() {
    String silent = "slave0:ip=10.0.0.2,port=7,state=online,offset=9,lag=2\r\n";
    String loading = "slave1:ip=10.0.0.2,port=8,state=online,offset=0,lag=0\r\n";
    String away = "slave2:ip=10.0.0.2,port=9,state=wait_bgsave,offset=0,lag=0\r\n";
    String heard = "slave3:ip=10.0.0.3,port=7,state=online,offset=10,lag=0\r\n";
    assertEquals(Set.of("10.0.0.3:7"), Confirmation.of(1, silent + loading + away + heard).by());
  }
}
