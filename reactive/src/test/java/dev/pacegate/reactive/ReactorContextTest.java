package dev.pacegate.reactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.time.ManualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Reactor's context passes every operator, from its subscriber to what is above. */
class ReactorContextTest {

  private static final String USER = "user";

  private final ManualTime time = ManualTime.manual();
  private final List<Object> passed = new ArrayList<>();

  static Set<String> operators() {
    return ContextOperators.names();
  }

  private Operator<String, ?> operator(String name) {
    return new ContextOperators(time, Runnable::run)
        .operator(name, element -> {}, CompletableFuture::completedFuture);
  }

  /** Three elements, each of which reads the user when it is asked for. */
  private static Flux<String> readers() {
    return Flux.just(1, 2, 3).concatMap(number -> readsUser(), 0);
  }

  private static Mono<String> readsUser() {
    return Mono.deferContextual(context -> Mono.just(context.<String>get(USER)));
  }

  private void subscribe(Operator<String, ?> operator, String user) {
    readers()
        .transform(upstream -> Flux.from(operator.apply(Flux.from(upstream))))
        .contextWrite(context -> context.put(USER, user))
        .subscribe(
            element -> passed.addAll(element instanceof List<?> list ? list : List.of(element)),
            failure -> passed.add(failure.toString()),
            () -> passed.add("completed"));
  }

  @ParameterizedTest
  @MethodSource("operators")
  void theUserIsSeenAboveWithoutAWait(String name) {
    subscribe(operator(name), "ann");
    if (name.equals("pacedBatches of a limiter")) {
      return; // it lingers
    }
    assertEquals("ann", passed.get(0));
    assertEquals(Set.of("ann"), withoutEnd());
  }

  @ParameterizedTest
  @MethodSource("operators")
  void theUserIsSeenAboveAfterAWait(String name) {
    subscribe(operator(name), "ann");
    int before = passed.size();
    time.advance(Duration.ofSeconds(10));
    assertEquals("completed", passed.get(passed.size() - 1));
    assertTrue(passed.size() > before || name.equals("enforce"), passed::toString);
    assertEquals(Set.of("ann"), withoutEnd());
  }

  private Set<Object> withoutEnd() {
    var users = new TreeSet<>(passed);
    users.remove("completed");
    return users;
  }

  @ParameterizedTest
  @MethodSource("operators")
  void subscribersOfOneStreamHaveTheirOwnUsers(String name) {
    Operator<String, ?> operator = operator(name);
    subscribe(operator, "ann");
    subscribe(operator, "bob");
    time.advance(Duration.ofSeconds(20));
    assertEquals(Set.of("ann", "bob"), withoutEnd());
  }

  @Test
  void operatorsAboveOneAnotherPassItOn() {
    subscribe(
        upstream ->
            Flux.from(upstream)
                .transform(Pace.throttle(Rig.limiter(time, "1/1s")))
                .transform(Pace.pacedBatches(Rig.interval(time, 1_000), Batching.ofAtMost(2)))
                .cast(Object.class),
        "ann");
    time.advance(Duration.ofSeconds(10));
    assertEquals(Set.of("ann"), withoutEnd());
  }

  /** Of the names above, the first word is the operator's. */
  @Test
  void theTableOfContextsNamesEachOperator() throws IOException {
    Set<String> all = new TreeSet<>();
    for (String name : ContextOperators.names()) {
      String operator = name.split(" ", 2)[0];
      String waits = operator.equals("enforce") ? "never waits" : "kept";
      for (Class<?> test : List.of(ReactorContextTest.class, ThreadLocalsTest.class)) {
        all.add(operator + ", " + waits + ", " + test.getSimpleName());
      }
    }
    Set<String> ofPage = new TreeSet<>();
    for (String line : Files.readAllLines(Path.of("..", "docs", "contexts.md"))) {
      if (line.contains("](../reactive/")) {
        String[] cells = line.split(" \\| ", -1);
        String test = cells[4].replaceAll("\\[(\\w+)].*", "$1");
        assertEquals("kept", cells[2]);
        ofPage.add(cells[0].replaceAll(".*Pace\\.(\\w+).*", "$1") + ", " + cells[3] + ", " + test);
      }
    }
    assertEquals(all, ofPage);
  }

  @Test
  void aCallGetsTheContextThatIsHandedToIt() {
    var called =
        Flux.deferContextual(
            context ->
                Flux.just("a", "b")
                    .transform(
                        Pace.mapThrottled(
                            Rig.limiter(time, "1/1s"),
                            sms -> readsUser().map(sms::concat).contextWrite(context).toFuture())));
    called.contextWrite(context -> context.put(USER, "ann")).subscribe(passed::add);
    time.advance(Duration.ofSeconds(10));
    assertEquals(List.of("aann", "bann"), passed);
  }

  @Test
  void theFirstOfManySubscribersGivesTheContext() {
    var shared =
        readers().transform(Pace.throttle(Rig.limiter(time, "1/1s"))).publish().refCount(2);
    shared.contextWrite(context -> context.put(USER, "ann")).subscribe(passed::add);
    shared.contextWrite(context -> context.put(USER, "bob")).subscribe();
    time.advance(Duration.ofSeconds(10));
    assertEquals(List.of("ann", "ann", "ann"), passed);
  }
}
