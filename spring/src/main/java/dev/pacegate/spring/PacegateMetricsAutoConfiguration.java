package dev.pacegate.spring;

import dev.pacegate.micrometer.LimiterMetrics;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** The figures of each limiter, where Micrometer and the module for it are. */
@AutoConfiguration(after = PacegateAutoConfiguration.class)
@ConditionalOnClass({MeterBinder.class, LimiterMetrics.class})
@ConditionalOnBean(PacegateLimits.class)
class PacegateMetricsAutoConfiguration {

  @Bean
  PacegateMeters pacegateMeters(PacegateLimits limits) {
    return PacegateMeters.of(limits);
  }
}
