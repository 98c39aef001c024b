package dev.pacegate.spring;

import dev.pacegate.context.ContextPropagator;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** The limiters of the properties, and methods that are {@link Throttled}. */
@AutoConfiguration
@EnableConfigurationProperties(PacegateProperties.class)
@Import(LimiterBeans.class)
@ImportRuntimeHints(PacegateHints.class)
class PacegateAutoConfiguration {

  static final String LIMITS = "pacegateLimits";

  static final String REDIS = "dev.pacegate.redis.RedisLimiters";

  @Bean(LIMITS)
  PacegateLimits pacegateLimits(
      PacegateProperties properties,
      Environment environment,
      ObjectProvider<ContextPropagator> context) {
    LimiterMaker maker = maker(properties, context.getIfAvailable(ContextPropagator::standard));
    return new PacegateLimits(maker, () -> LimitTexts.in(environment));
  }

  private static LimiterMaker maker(PacegateProperties properties, ContextPropagator context) {
    String store = properties.store();
    if (store == null || store.isBlank()) {
      return LimiterMaker.local(context);
    }
    if (!ClassUtils.isPresent(REDIS, ClassUtils.getDefaultClassLoader())) {
      throw new InvalidConfigurationPropertyValueException(
          "pacegate.store", "(not shown)", "It needs the dependency dev.pacegate:pacegate-redis");
    }
    return RedisMaker.connect(store, properties, context);
  }

  @Bean
  KnownLimiters pacegateKnownLimiters(PacegateLimits limits, ListableBeanFactory beans) {
    return new KnownLimiters(limits, beans);
  }

  @Bean
  Refresher pacegateRefresher(PacegateLimits limits, PacegateProperties properties) {
    return new Refresher(limits, properties.refresh());
  }

  @Bean
  static ThrottledMethods pacegateThrottledMethods(ListableBeanFactory beans) {
    return new ThrottledMethods(beans);
  }

  @Bean
  static InnermostPermit pacegateInnermostPermit(ThrottledMethods methods) {
    return new InnermostPermit(methods);
  }
}
