package dev.pacegate.spring;

import static org.springframework.security.config.Customizer.withDefaults;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** What an application does with Spring Security, which the tests have on their class path. */
final class Security {

  private Security() {}

  /** As if it were not there. */
  @Configuration(proxyBeanMethods = false)
  static class None {
    @Bean
    SecurityFilterChain open(HttpSecurity http) throws Exception {
      return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
          .csrf(csrf -> csrf.disable())
          .build();
    }
  }

  /** Passwords for all, and no more: the endpoint shows, but cannot be used to change a limit. */
  @Configuration(proxyBeanMethods = false)
  static class Passwords {
    @Bean
    SecurityFilterChain all(HttpSecurity http) throws Exception {
      return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
          .httpBasic(withDefaults())
          .build();
    }
  }

  /** The page's configuration. */
  @Configuration(proxyBeanMethods = false)
  static class OfPage {
    @Bean
    @Order(1)
    SecurityFilterChain pacegate(HttpSecurity http) throws Exception {
      return http.securityMatcher("/actuator/pacegate/**")
          .authorizeHttpRequests(requests -> requests.anyRequest().hasRole("OPERATOR"))
          .httpBasic(withDefaults())
          .csrf(csrf -> csrf.disable()) // curl has no token
          .build();
    }
  }
}
