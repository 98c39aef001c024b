package dev.pacegate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.Limiter;
import dev.pacegate.WaitTooLongException;
import jakarta.annotation.PostConstruct;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.annotation.AliasFor;

/** Where the annotation may stand: alone or on another annotation, here or on what is inherited. */
@Timeout(60)
class ThrottledPlacesTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(PacegateAutoConfiguration.class))
          .withPropertyValues("pacegate.limits.sms=1/1h", "pacegate.limits.mail=1/1h");

  /** An annotation of the program. */
  @Retention(RetentionPolicy.RUNTIME)
  @Target({ElementType.METHOD, ElementType.TYPE})
  @Throttled("sms")
  @interface SmsThrottled {

    @AliasFor(annotation = Throttled.class, attribute = "maxWait")
    String atMost() default "0s";
  }

  @Retention(RetentionPolicy.RUNTIME)
  @SmsThrottled(atMost = "0s")
  @interface Twice {}

  /** What all of the beans do. */
  public interface Sends {
    void send(String text);
  }

  static class OnMethod implements Sends {
    @Override
    @SmsThrottled
    public void send(String text) {}
  }

  static class OnMethodTwice implements Sends {
    @Override
    @Twice
    public void send(String text) {}
  }

  @SmsThrottled
  static class OnClass implements Sends {
    @Override
    public void send(String text) {}
  }

  static class OfSuperclass extends OnClass {}

  static class Overriding extends OnMethod {
    @Override
    public void send(String text) {}
  }

  static class Inheriting extends OnMethod {}

  abstract static class Generic<T> {
    @SmsThrottled
    public void send(T text) {}
  }

  static class OfAGeneric extends Generic<String> implements Sends {}

  interface Declares extends Sends {
    @Override
    @SmsThrottled
    void send(String text);
  }

  static class OfAnInterface implements Declares {
    @Override
    public void send(String text) {}
  }

  @SmsThrottled
  public interface Whole extends Sends {}

  static class OfAWholeInterface implements Whole {
    @Override
    public void send(String text) {}
  }

  interface Default extends Sends {
    @Override
    @SmsThrottled
    default void send(String text) {}
  }

  static class OfADefault implements Default {}

  private static Stream<Arguments> places() {
    Stream<Sends> beans =
        Stream.of(
            new OnMethod(),
            new OnMethodTwice(),
            new OnClass(),
            new OfSuperclass(),
            new Overriding(),
            new Inheriting(),
            new OfAGeneric(),
            new OfAnInterface(),
            new OfAWholeInterface(),
            new OfADefault());
    return beans.map(bean -> Arguments.of(Named.of(bean.getClass().getSimpleName(), bean)));
  }

  @ParameterizedTest
  @MethodSource("places")
  void anAnnotationOfTheProgramPacesWhereverItStands(Sends bean) {
    runner.withBean(Sends.class, () -> bean).run(this::assertPaced);
  }

  @Test
  void aLambdaOfAnInterfaceIsPaced() {
    runner.withBean(Sends.class, () -> (Whole) text -> {}).run(this::assertPaced);
  }

  private void assertPaced(AssertableApplicationContext context) throws Exception {
    Sends sends = context.getBean(Sends.class);
    sends.send("1");
    assertThrows(WaitTooLongException.class, () -> sends.send("2"));
    Limiter sms = context.getBean("smsLimiter", Limiter.class);
    assertEquals(1, sms.snapshot().granted());
    Waiting.nothingIsLeft(sms);
  }

  @Retention(RetentionPolicy.RUNTIME)
  @Throttled("mail")
  @interface MailThrottled {}

  static class Doubly {
    @SmsThrottled
    @MailThrottled
    public void send() {}
  }

  /** One of them would have no effect. */
  @Test
  void twoAnnotationsOfOneMethodEndTheStart() {
    runner
        .withBean(Doubly.class)
        .run(
            failing(
                "Doubly.send() is @Throttled twice, by \"mail\" and \"sms\"",
                "name one limiter that keeps both limits, such as 10/1s & 200/1m"));
  }

  @Retention(RetentionPolicy.RUNTIME)
  @SmsThrottled
  @interface Audited {}

  static class Alike implements Sends {
    @Override
    @Audited
    @SmsThrottled
    public void send(String text) {}
  }

  /** None of them would have no effect. */
  @Test
  void annotationsOfOneMethodThatSayTheSameArePacedOnce() {
    runner.withBean(Alike.class).run(this::assertPaced);
  }

  static final class OneFinal {
    @SmsThrottled
    public void send() {}
  }

  @Test
  void aFinalClassEndsTheStart() {
    runner
        .withBean(OneFinal.class)
        .run(failing("OneFinal", "is final, so no proxy", "make it non-final"));
  }

  static class Constructed {
    @PostConstruct
    @SmsThrottled
    public void send() {}
  }

  static class Initializing implements InitializingBean {
    @Override
    @SmsThrottled
    public void afterPropertiesSet() {}
  }

  static class Disposable implements DisposableBean {
    @Override
    @SmsThrottled
    public void destroy() {}
  }

  /** Spring calls them on the bean itself. */
  @ParameterizedTest
  @ValueSource(classes = {Constructed.class, Initializing.class, Disposable.class})
  void aMethodThatSpringCallsBehindTheProxyEndsTheStart(Class<?> type) {
    runner
        .withBean(type)
        .run(failing(type.getSimpleName(), "is called by Spring on the bean itself"));
  }

  static class Servers implements InitializingBean, DisposableBean {
    @SmsThrottled
    public void destroy(String server) {}

    @Override
    public void destroy() {}

    @MailThrottled
    public void afterPropertiesSet(String server) {}

    @Override
    public void afterPropertiesSet() {}
  }

  @Test
  void aMethodWithParametersIsPacedThoughSpringCallsOneOfItsName() {
    runner
        .withBean(Servers.class)
        .run(
            context -> {
              Servers servers = context.getBean(Servers.class);
              servers.destroy("a");
              assertThrows(WaitTooLongException.class, () -> servers.destroy("b"));
              servers.afterPropertiesSet("a");
              Limiter mail = context.getBean("mailLimiter", Limiter.class);
              assertEquals(1, mail.snapshot().granted());
            });
  }

  @SmsThrottled
  static class WholeConstructed implements Sends {
    @PostConstruct
    public void connect() {}

    @Override
    public void send(String text) {}
  }

  @Test
  void aClassWithAMethodThatSpringCallsIsPaced() {
    runner.withBean(WholeConstructed.class).run(this::assertPaced);
  }

  static class Selfish {
    @Autowired @Lazy @Nullable Selfish proxy;

    @SmsThrottled
    public void send() {}

    public void sendDirectly() {
      send();
    }

    public void sendByProxy() {
      Objects.requireNonNull(proxy).send();
    }
  }

  /** As the page says. */
  @Test
  void aCallFromTheSameBeanTakesAPermitOnlyByItsProxy() {
    runner
        .withBean(Selfish.class)
        .run(
            context -> {
              Limiter sms = context.getBean("smsLimiter", Limiter.class);
              context.getBean(Selfish.class).sendDirectly();
              assertEquals(0, sms.snapshot().granted());
              context.getBean(Selfish.class).sendByProxy();
              assertEquals(1, sms.snapshot().granted());
            });
  }

  /** As properties may come from a server, whose client is paced. */
  @Test
  void aMethodMayBeCalledWhileItsLimiterIsLookedFor() {
    var calls = new AtomicInteger();
    runner
        .withBean(OnMethod.class)
        .withInitializer(
            context ->
                context
                    .getBeanFactory()
                    .addEmbeddedValueResolver(
                        text -> {
                          if (text.equals("sms") && calls.getAndIncrement() == 0) {
                            context.getBean(OnMethod.class).send("property");
                          }
                          return text;
                        }))
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertEquals(1, context.getBean("smsLimiter", Limiter.class).snapshot().granted());
            });
  }

  /** It needs a throttled bean, which is made before there are proxies. */
  record Early(OnClass bean) implements BeanPostProcessor, PriorityOrdered {
    @Override
    public int getOrder() {
      return 0;
    }
  }

  @Configuration
  static class Processors {
    @Bean
    static Early processor(OnClass bean) {
      return new Early(bean);
    }
  }

  private static final class Lines extends Handler {
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    @Override
    public void publish(LogRecord line) {
      lines.add(line.getLevel() + ": " + line.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Test
  void aBeanThatIsMadeTooEarlyIsWarnedOf() {
    var logged = new Lines();
    Logger logger = Logger.getLogger("dev.pacegate");
    logger.addHandler(logged);
    try {
      runner
          .withBean("early", OnClass.class)
          .withBean("late", OnMethod.class)
          .withUserConfiguration(Processors.class)
          .run(context -> assertThat(context).hasNotFailed());
    } finally {
      logger.removeHandler(logged);
    }
    assertThat(logged.lines)
        .filteredOn(line -> line.contains("no effect"))
        .singleElement()
        .asString()
        .startsWith("WARNING: @Throttled has no effect on the bean early,");
  }

  private static ContextConsumer<AssertableApplicationContext> failing(String... texts) {
    return context ->
        List.of(texts)
            .forEach(text -> assertThat(context).getFailure().hasStackTraceContaining(text));
  }
}
