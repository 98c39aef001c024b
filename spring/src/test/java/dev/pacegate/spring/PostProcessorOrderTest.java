package dev.pacegate.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.Limiter;
import dev.pacegate.WaitTooLongException;
import java.util.Objects;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.AbstractAdvisingBeanPostProcessor;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

/** Post-processors of others, wherever they are in Spring's order. */
@Timeout(60)
class PostProcessorOrderTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(PacegateAutoConfiguration.class))
          .withPropertyValues("pacegate.limits.sms=1/1h");

  /** Of both kinds of beans. */
  public interface Sends {
    @Throttled(value = "sms", maxWait = "0s")
    void send();
  }

  static class Service implements Sends {
    @Override
    public void send() {}
  }

  /** Keeps the bean that it is given, as those of {@code @KafkaListener} methods do. */
  static final class Listeners implements BeanPostProcessor, Ordered {
    private @Nullable Sends kept;

    @Override
    public int getOrder() {
      return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
      if (bean instanceof Sends sends) {
        kept = sends;
      }
      return bean;
    }
  }

  /** Refuses all calls, as method validation may. */
  static final class Validation extends AbstractAdvisingBeanPostProcessor {
    private static final long serialVersionUID = 1;

    Validation() {
      advisor =
          new DefaultPointcutAdvisor(
              (MethodInterceptor)
                  call -> {
                    throw new IllegalArgumentException("a test");
                  });
      setProxyTargetClass(true);
      setOrder(Ordered.LOWEST_PRECEDENCE);
    }

    @Override
    protected boolean isEligible(Class<?> type) {
      return Sends.class.isAssignableFrom(type);
    }
  }

  @Configuration
  static class Before {
    @Bean
    static Listeners listeners() {
      return new Listeners();
    }
  }

  @AutoConfiguration(after = PacegateAutoConfiguration.class)
  static class After {
    @Bean
    static Listeners listeners() {
      return new Listeners();
    }
  }

  @Configuration
  static class ValidatingBefore {
    @Bean
    static Validation validation() {
      return new Validation();
    }
  }

  @AutoConfiguration(after = PacegateAutoConfiguration.class)
  static class ValidatingAfter {
    @Bean
    static Validation validation() {
      return new Validation();
    }
  }

  private ApplicationContextRunner with(Class<?> configuration) {
    return configuration.isAnnotationPresent(AutoConfiguration.class)
        ? runner.withConfiguration(AutoConfigurations.of(configuration))
        : runner.withUserConfiguration(configuration);
  }

  @ParameterizedTest
  @ValueSource(classes = {Before.class, After.class})
  void aListenerThatKeepsTheBeanIsPaced(Class<?> configuration) {
    with(configuration)
        .withBean(Service.class)
        .run(
            context -> {
              Sends kept = Objects.requireNonNull(context.getBean(Listeners.class).kept);
              kept.send();
              assertThrows(WaitTooLongException.class, kept::send);
            });
  }

  @ParameterizedTest
  @ValueSource(classes = {ValidatingBefore.class, ValidatingAfter.class})
  void aCallThatOtherAdviceRefusesTakesNoPermit(Class<?> configuration) {
    with(configuration)
        .withBean(Service.class)
        .withBean("client", Sends.class, PostProcessorOrderTest::client)
        .run(
            context -> {
              Service service = context.getBean(Service.class);
              assertThrows(IllegalArgumentException.class, service::send);
              Sends client = context.getBean("client", Sends.class);
              assertThrows(IllegalArgumentException.class, client::send);
              assertEquals(0, context.getBean(Limiter.class).snapshot().granted());
            });
  }

  @Configuration
  static class Renamed {
    @Bean
    Service service() {
      return new Service();
    }

    @Bean
    Sends renamedService(Service service) {
      return service;
    }

    @Bean
    Sends client() {
      return PostProcessorOrderTest.client();
    }

    @Bean
    Sends renamedClient(@Qualifier("client") Sends client) {
      return client;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"renamedService", "renamedClient"})
  void aBeanOfTwoNamesTakesOnePermitForACall(String name) {
    runner
        .withUserConfiguration(Renamed.class)
        .run(
            context -> {
              context.getBean(name, Sends.class).send();
              assertEquals(1, context.getBean(Limiter.class).snapshot().granted());
            });
  }

  /** Without a target, as that of an {@code @HttpExchange} interface. */
  private static Sends client() {
    return ProxyFactory.getProxy(Sends.class, (MethodInterceptor) call -> null);
  }
}
