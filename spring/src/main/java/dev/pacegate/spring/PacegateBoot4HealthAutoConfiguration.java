package dev.pacegate.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health {@code pacegate}, where Actuator of Boot 4 is. */
@AutoConfiguration(after = PacegateAutoConfiguration.class)
@ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
@ConditionalOnBean(KnownLimiters.class)
@ConditionalOnEnabledHealthIndicator("pacegate")
class PacegateBoot4HealthAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(name = "pacegateHealthIndicator")
  Boot4Health pacegateHealthIndicator(KnownLimiters limiters) {
    return new Boot4Health(limiters);
  }
}
