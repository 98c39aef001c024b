package dev.pacegate.spring;

import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The health {@code pacegate}, where Actuator of Boot 3.5 is. */
@AutoConfiguration(after = PacegateAutoConfiguration.class)
@ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
@ConditionalOnBean(KnownLimiters.class)
@ConditionalOnEnabledHealthIndicator("pacegate")
class PacegateBoot3HealthAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(name = "pacegateHealthIndicator")
  Boot3Health pacegateHealthIndicator(KnownLimiters limiters) {
    return new Boot3Health(limiters);
  }
}
