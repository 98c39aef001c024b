package dev.pacegate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What expressions find around them: words, types and beans. */
@Timeout(60)
class ExpressionContextTest {

  private final ApplicationContextRunner starter =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(PacegateAutoConfiguration.class))
          .withPropertyValues("pacegate.limits.sms=10/1h");

  private final ApplicationContextRunner runner = starter.withUserConfiguration(Keyed.class);

  @Configuration
  static class Keyed {
    @Bean
    KeyedLimiter<String> customers() {
      return KeyedLimiter.of("peer(5/1h)");
    }
  }

  /** Words that SpEL takes for properties of the call. */
  interface Bare {
    class InASum {
      @Throttled(value = "sms", cost = "1 + 2 * parts")
      public void send(int parts) {}
    }

    class InAMap {
      @Throttled(value = "sms", cost = "{tokens: parts}")
      public void send(int parts) {}
    }

    class AsAnArgument {
      @Throttled(value = "sms", cost = "#other.compareTo(parts)")
      public void send(Integer other, int parts) {}
    }

    class AsADefault {
      @Throttled(value = "sms", cost = "#other ?: parts")
      public void send(Integer other, int parts) {}
    }

    class OfAType {
      @Throttled(value = "sms", cost = "T(Math).max(1, parts)")
      public void send(int parts) {}
    }
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        Bare.InASum.class,
        Bare.InAMap.class,
        Bare.AsAnArgument.class,
        Bare.AsADefault.class,
        Bare.OfAType.class
      })
  void aBareWordEndsTheStartWhereverItStands(Class<?> type) {
    runner
        .withBean(type)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasMessageContaining("write #parts for a parameter, or 'parts' for the text"));
  }

  /** Words that are no properties of the call. */
  static class Meant {
    @Throttled(value = "sms", cost = "#texts.?[empty].size()")
    public void selected(List<String> texts) {}

    @Throttled(value = "sms", cost = "#texts.![bytes.length].size() + args.length")
    public void projected(List<String> texts) {}

    @Throttled(value = "sms", cost = "#amounts[parts]")
    public void indexed(Map<String, Integer> amounts) {}
  }

  @Test
  void wordsOfElementsAndKeysAreNoParameters() {
    runner
        .withBean(Meant.class)
        .run(
            context -> {
              Meant meant = context.getBean(Meant.class);
              meant.selected(List.of("", "a"));
              meant.projected(List.of("a"));
              meant.indexed(Map.of("parts", 3));
              Limiter sms = context.getBean("smsLimiter", Limiter.class);
              assertEquals(1 + 2 + 3, sms.snapshot().grantedUnits());
            });
  }

  /** A type of the program. */
  public static class Tariff {
    public static int parts(String text) {
      return text.length();
    }
  }

  static class ByType {
    @Throttled(
        value = "sms",
        cost = "T(dev.pacegate.spring.ExpressionContextTest$Tariff).parts(#p0)")
    public void send(String text) {}
  }

  /** As are those of the JDK's common pool, in a jar of Boot. */
  @Test
  void aTypeIsFoundOnThreadsThatDoNotSeeTheProgram() {
    runner
        .withBean(ByType.class)
        .run(
            context -> {
              Thread thread = Thread.currentThread();
              ClassLoader before = thread.getContextClassLoader();
              thread.setContextClassLoader(new URLClassLoader(new URL[0], null));
              try {
                context.getBean(ByType.class).send("abc");
              } finally {
                thread.setContextClassLoader(before);
              }
              Limiter sms = context.getBean("smsLimiter", Limiter.class);
              assertEquals(3, sms.snapshot().grantedUnits());
            });
  }

  static class ByCustomer {
    @Throttled(value = "customers", key = "#customer")
    public void send(Object customer) {}
  }

  @Test
  void aKeyIsConvertedToTheTypeThatAParentsLimiterHas() {
    runner.run(
        parent ->
            starter
                .withParent(parent)
                .withBean(ByCustomer.class)
                .run(
                    context -> {
                      context.getBean(ByCustomer.class).send("42");
                      context.getBean(ByCustomer.class).send(42);
                      assertEquals(1, parent.getBean(KeyedLimiter.class).size());
                    }));
  }

  /** Of an object that was registered no type is known. */
  @Test
  void aLimiterThatIsNoBeanOfADefinitionHasKeysOfAnyType() {
    KeyedLimiter<Integer> keyed = KeyedLimiter.of("peer(5/1h)");
    starter
        .withInitializer(context -> context.getBeanFactory().registerSingleton("customers", keyed))
        .withBean(ByCustomer.class)
        .run(
            context -> {
              context.getBean(ByCustomer.class).send(42);
              assertEquals(1, keyed.limiter(42).snapshot().granted());
            });
  }
}
