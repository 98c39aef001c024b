package dev.pacegate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.WaitTooLongException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestTemplate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Keys and costs that expressions take from the arguments. */
@Timeout(60)
class ThrottledExpressionsTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(PacegateAutoConfiguration.class))
          .withUserConfiguration(Keyed.class)
          .withPropertyValues("pacegate.limits.sms=10/1h");

  @Configuration
  static class Keyed {
    @Bean
    KeyedLimiter<String> customers(@Qualifier("sms") Limiter sms) {
      return KeyedLimiter.builder("peer(6/1h)").within(sms).build();
    }
  }

  /** What is sent, to tell properties of an argument. */
  public record Sms(@Nullable Object customer, @Nullable Number parts) {}

  /** What all of the beans do. */
  interface Sends {
    void send(Sms sms);
  }

  static class ByName implements Sends {
    @Override
    @Throttled(value = "customers", key = "#sms.customer", cost = "#sms.parts", maxWait = "0s")
    public void send(Sms sms) {}
  }

  static class ByIndex implements Sends {
    @Override
    @Throttled(value = "customers", key = "#p0.customer", cost = "#a0.parts", maxWait = "0s")
    public void send(Sms text) {}
  }

  static class ByRoot implements Sends {
    @Override
    @Throttled(
        value = "customers",
        key = "#root.args[0].customer + #root.methodName",
        cost = "args[0].parts",
        maxWait = "0s")
    public void send(Sms sms) {}
  }

  static class ByBean implements Sends {
    @Override
    @Throttled(
        value = "customers",
        key = "@byBean.customer(#sms)",
        cost = "{other: 1}.size() * #sms.parts",
        maxWait = "0s")
    public void send(Sms sms) {}

    public @Nullable Object customer(Sms sms) {
      return sms.customer;
    }
  }

  interface Declares extends Sends {
    @Override
    @Throttled(value = "customers", key = "#sms.customer", cost = "#sms.parts", maxWait = "0s")
    void send(Sms sms);
  }

  static class OfAnInterface implements Declares {
    @Override
    public void send(Sms text) {}
  }

  @Throttled(value = "customers", key = "#sms.customer", cost = "#sms.parts", maxWait = "0s")
  interface Whole extends Sends {
    @Override
    void send(Sms sms);
  }

  static class OfAWholeInterface implements Whole {
    @Override
    public void send(Sms text) {}
  }

  private static Stream<Arguments> expressions() {
    Stream<Sends> beans =
        Stream.of(
            new ByName(),
            new ByIndex(),
            new ByRoot(),
            new ByBean(),
            new OfAnInterface(),
            new OfAWholeInterface());
    return beans.map(bean -> Arguments.of(Named.of(bean.getClass().getSimpleName(), bean)));
  }

  @ParameterizedTest
  @MethodSource("expressions")
  void eachKeyHasALimitOfItsOwnForItsCosts(Sends bean) {
    runner
        .withBean("byBean", Sends.class, () -> bean)
        .run(
            context -> {
              Sends sends = context.getBean(Sends.class);
              sends.send(new Sms("a", 4));
              assertThrows(WaitTooLongException.class, () -> sends.send(new Sms("a", 3)));
              sends.send(new Sms("a", 2));
              sends.send(new Sms("b", 4));
              assertThrows(WaitTooLongException.class, () -> sends.send(new Sms("c", 1)));
              nothingIsLeft(context, 3);
            });
  }

  private static void nothingIsLeft(ApplicationContext context, long granted) throws Exception {
    Limiter all = context.getBean(KeyedLimiter.class).all();
    Waiting.nothingIsLeft(all);
    assertEquals(granted, all.snapshot().granted());
  }

  /** They are the same customer, although no equals says so. */
  @Test
  void aKeyIsConvertedToTheTypeOfTheKeys() {
    runner
        .withBean(ByName.class)
        .run(
            context -> {
              context.getBean(ByName.class).send(new Sms("42", 4));
              Sms number = new Sms(42, 3);
              assertThrows(
                  WaitTooLongException.class, () -> context.getBean(ByName.class).send(number));
              nothingIsLeft(context, 1);
            });
  }

  static class Tokens {
    @Throttled(value = "sms", cost = "{tokens: #text.length()}", maxWait = "0s")
    public void map(String text) {}

    @Throttled(
        value = "sms",
        cost = "T(dev.pacegate.limit.Cost).of('tokens', #text.length())",
        maxWait = "0s")
    public void cost(String text) {}
  }

  @Test
  void aCostMayHaveANameInAMapOrAsACost() {
    runner
        .withPropertyValues("pacegate.limits.sms=10/1h of tokens")
        .withBean(Tokens.class)
        .run(
            context -> {
              Tokens tokens = context.getBean(Tokens.class);
              tokens.map("123456");
              tokens.cost("123");
              assertThrows(WaitTooLongException.class, () -> tokens.map("12"));
              assertThrows(WaitTooLongException.class, () -> tokens.cost("12"));
              tokens.map("1");
            });
  }

  static class Later {
    final CompletableFuture<String> answer = new CompletableFuture<>();

    public CompletableFuture<String> answer() {
      return answer;
    }

    @Throttled(value = "customers", key = "#sms.customer", cost = "#sms.parts", maxWait = "0s")
    public CompletableFuture<String> stage(Sms sms) {
      return answer;
    }

    @Throttled(value = "customers", key = "#sms.customer", cost = "#sms.parts", maxWait = "0s")
    public Mono<String> mono(Sms sms) {
      return Mono.fromFuture(answer);
    }

    @Throttled(value = "customers", key = "#sms.customer", cost = "#sms.parts", maxWait = "0s")
    public Flux<String> flux(Sms sms) {
      return Flux.from(mono(sms));
    }

    /** Calls by the kind of the result. */
    static CompletableFuture<String> call(Later later, String kind, Sms sms) {
      return switch (kind) {
        case "stage" -> later.stage(sms);
        case "mono" -> later.mono(sms).toFuture();
        default -> later.flux(sms).next().toFuture();
      };
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"stage", "mono", "flux"})
  void aLaterResultHoldsThePermitOfItsKey(String kind) {
    runner
        .withBean(Later.class)
        .run(
            context -> {
              Later later = context.getBean(Later.class);
              var first = Later.call(later, kind, new Sms("a", 4));
              assertEquals(1, context.getBean(KeyedLimiter.class).all().snapshot().open());
              var second = Later.call(later, kind, new Sms("a", 3));
              assertFails(WaitTooLongException.class, second);
              var other = Later.call(later, kind, new Sms("b", 4));
              later.answer().complete("answer");
              assertEquals("answer", first.get(50, TimeUnit.SECONDS));
              assertEquals("answer", other.get(50, TimeUnit.SECONDS));
              nothingIsLeft(context, 2);
            });
  }

  private static String assertFails(Class<? extends Throwable> type, CompletableFuture<?> call) {
    var failure = assertThrows(ExecutionException.class, () -> call.get(50, TimeUnit.SECONDS));
    assertThat(failure).hasCauseInstanceOf(type);
    return String.valueOf(failure.getMessage()); // with that of its cause
  }

  private static Stream<Arguments> wrongCalls() {
    return Stream.of(
        Arguments.of(new Sms(null, 1), "key=\"#sms.customer\" is null"),
        Arguments.of(new Sms(new Object(), 1), "key=\"#sms.customer\" fails: "),
        Arguments.of(new Sms("a", -1), "cost=\"#sms.parts\" is -1; a cost must be a whole number"),
        Arguments.of(new Sms("a", 1.5), "cost=\"#sms.parts\" is 1.5; a cost must be"),
        Arguments.of(new Sms("a", Double.NaN), "cost=\"#sms.parts\" is NaN; a cost must be"),
        Arguments.of(new Sms("a", null), "cost=\"#sms.parts\" is null; a cost must be"));
  }

  @ParameterizedTest
  @MethodSource("wrongCalls")
  void aWrongArgumentFailsTheCallAndTakesNoPermit(Sms sms, String message) {
    runner
        .withBean(ByName.class)
        .withBean(Later.class)
        .run(
            context -> {
              ByName sends = context.getBean(ByName.class);
              var error = assertThrows(IllegalArgumentException.class, () -> sends.send(sms));
              assertThat(error).hasMessageContaining("ByName.send(").hasMessageContaining(message);
              Later later = context.getBean(Later.class);
              for (String kind : new String[] {"stage", "mono", "flux"}) {
                var call = Later.call(later, kind, sms);
                assertThat(assertFails(IllegalArgumentException.class, call)).contains(message);
              }
              nothingIsLeft(context, 0);
            });
  }

  /** A number is no cost of a limit that counts only a named one. */
  @Test
  void aNumberThatNoLimitCountsFailsTheCall() {
    runner
        .withPropertyValues("pacegate.limits.sms=10/1h of tokens")
        .withBean(Numbers.class)
        .run(
            context -> {
              Numbers numbers = context.getBean(Numbers.class);
              var error = assertThrows(IllegalArgumentException.class, () -> numbers.send(4));
              assertThat(error).hasMessageContaining("Cost.of(\"tokens\", 5)");
            });
  }

  static class Numbers {
    @Throttled(value = "sms", cost = "#count + 1")
    public void send(int count) {}
  }

  /** Mistakes that are seen at the start, one by method. */
  interface Mistakes {
    class NoExpression {
      @Throttled(value = "sms", cost = "#bytes +")
      public void send(int bytes) {}
    }

    class Misspelt {
      @Throttled(value = "sms", cost = "2 * (#bites + 1)")
      public void send(int bytes) {}
    }

    class NoSuchIndex {
      @Throttled(value = "customers", key = "#p1")
      public void send(int bytes) {}
    }

    class NoSuchFunction {
      @Throttled(value = "sms", cost = "#size(#bytes)")
      public void send(int bytes) {}
    }

    class Bare {
      @Throttled(value = "customers", key = "customer.id")
      public void send(String customer) {}
    }

    class NoKeys {
      @Throttled(value = "sms", key = "#customer")
      public void send(String customer) {}
    }

    class NoKey {
      @Throttled("customers")
      public void send(String customer) {}
    }

    class NoCosts {
      @Throttled(value = "spaced", cost = "#bytes")
      public void send(int bytes) {}
    }

    class NoName {
      @Throttled(value = "tokens", cost = "#count")
      public void send(Integer count) {}
    }

    class NoLimiter {
      @Throttled(value = "customer", key = "#customer")
      public void send(String customer) {}
    }
  }

  private static Stream<Arguments> mistakes() {
    return Stream.of(
        Arguments.of(
            Mistakes.NoExpression.class,
            "has cost=\"#bytes +\", which is not a valid expression (valid: #name",
            "EL"),
        Arguments.of(
            Mistakes.Misspelt.class,
            "has cost=\"2 * (#bites + 1)\": #bites is not a parameter: use [#bytes]",
            "Misspelt.send(int)"),
        Arguments.of(
            Mistakes.NoSuchIndex.class,
            "has key=\"#p1\": #p1 is not a parameter: use [#bytes]",
            "(int)"),
        Arguments.of(
            Mistakes.NoSuchFunction.class, "#size is not a parameter: use [#bytes]", "(int)"),
        Arguments.of(
            Mistakes.Bare.class, "write #customer for a parameter, or 'customer' for the text", ""),
        Arguments.of(
            Mistakes.NoKeys.class,
            "has key=\"#customer\": \"sms\" has no keys: remove the key",
            "or define a bean KeyedLimiter<String> sms"),
        Arguments.of(
            Mistakes.NoKey.class, "names the keyed limiter \"customers\"", "such as key=\"#p0\""),
        Arguments.of(
            Mistakes.NoCosts.class,
            "has cost=\"#bytes\": peer(spacing(1s)) counts calls and no costs",
            "remove the cost"),
        Arguments.of(
            Mistakes.NoName.class,
            "has cost=\"#count\": peer(10/1h of tokens) counts only costs named [tokens]",
            "write {tokens: #count}"),
        Arguments.of(
            Mistakes.NoLimiter.class,
            "which does not exist. There are [customers, sms, spaced, tokens]",
            "define a bean KeyedLimiter<String> customer"));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void aMistakeEndsTheStart(Class<?> type, String message, String alsoSaid) {
    runner
        .withPropertyValues(
            "pacegate.limits.spaced=spacing(1s)", "pacegate.limits.tokens=10/1h of tokens")
        .withBean(type)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("@Throttled: public void dev.pacegate.spring")
                    .hasStackTraceContaining(message)
                    .hasStackTraceContaining(alsoSaid));
  }

  /** The parameter of the JDK's own has no name in its class file. */
  @Throttled(value = "customers", key = "#command.name", maxWait = "0s")
  interface Runs extends Executor {}

  /** What runs. */
  public record Command(String name) implements Runnable {
    @Override
    public void run() {}
  }

  static class Runner implements Runs {
    @Override
    public void execute(Runnable command) {
      command.run();
    }
  }

  @Test
  void aNameThatTheInterfaceHasNotKeptIsThatOfTheClass() {
    runner
        .withBean(Runner.class)
        .run(
            context -> {
              context.getBean(Runner.class).execute(new Command("a"));
              nothingIsLeft(context, 1);
            });
  }

  @Test
  void aParameterThatHasNoNameIsNamedByItsNumber() {
    runner
        .withBean(Runs.class, () -> (Runs) command -> {})
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasMessageContaining(
                        "#command is not a parameter: use #p0 and so on, as the class was compiled"));
  }

  /** Sends each part of a message as a request of its own. */
  static class Gateway {
    private final RestTemplate client = new RestTemplate(new JdkClientHttpRequestFactory());

    @Throttled(value = "accounts", key = "#account", cost = "#parts")
    public void send(String account, Peer peer, int parts) {
      for (int i = 0; i < parts; i++) {
        client.getForObject(peer.uri("/ok"), String.class);
      }
    }
  }

  @Test
  void noPeerGetsMoreThanItsKeyAllows() throws Exception {
    try (var one = new Peer();
        var other = new Peer()) {
      runner
          .withBean("accounts", KeyedLimiter.class, () -> KeyedLimiter.of("peer(6/200ms)"))
          .withBean(Gateway.class)
          .run(context -> assertArrivals(context, one, other));
    }
  }

  private static void assertArrivals(ApplicationContext context, Peer one, Peer other)
      throws Exception {
    Gateway gateway = context.getBean(Gateway.class);
    var number = new AtomicInteger();
    Waiting.atOnce(
        8,
        3,
        () -> {
          int call = number.getAndIncrement();
          Peer peer = call % 2 == 0 ? one : other;
          gateway.send(peer.uri(""), peer, 1 + call % 3);
          return null;
        });
    for (Peer peer : List.of(one, other)) {
      assertEquals(24, peer.count());
      assertTrue(peer.mostIn(Duration.ofMillis(200)) <= 6, "more than the limit");
    }
    Limiter all = context.getBean("accounts", KeyedLimiter.class).all();
    Waiting.nothingIsLeft(all);
    assertEquals(24, all.snapshot().granted());
  }
}
