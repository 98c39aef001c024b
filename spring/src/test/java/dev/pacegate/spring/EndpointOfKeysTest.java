package dev.pacegate.spring;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The endpoint shows, resumes and changes all keys of the program's keyed limiters at once. */
class EndpointOfKeysTest {

  private static final int KEYS = 300;

  private static final ManualTime TIME = ManualTime.manual();

  @Configuration(proxyBeanMethods = false)
  static class Program {
    @Bean
    KeyedLimiter<String> hosts() {
      return keyed("peer(2/1s)");
    }

    @Bean
    KeyedLimiter<String> starts() {
      return keyed("2/1s");
    }

    @Bean
    KeyedLimiter<String> sms() {
      return keyed("9/1s");
    }

    private static KeyedLimiter<String> keyed(String limit) {
      return KeyedLimiter.builder(limit)
          .within("peer(1000/1s)")
          .time(TIME)
          .executor(Runnable::run)
          .build();
    }
  }

  private static void with(BiConsumer<PacegateEndpoint, KeyedLimiter<String>> test) {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(PacegateAutoConfiguration.class))
        .withUserConfiguration(Program.class)
        .withPropertyValues("pacegate.limits.sms=10/1m")
        .run(
            context -> {
              @SuppressWarnings("unchecked")
              KeyedLimiter<String> hosts = context.getBean("hosts", KeyedLimiter.class);
              test.accept(new PacegateEndpoint(context.getBean(KnownLimiters.class)), hosts);
            });
  }

  private static LimiterState shown(PacegateEndpoint endpoint, String name) {
    LimiterState state = requireNonNull(endpoint.one(name));
    assertEquals(state.limit(), requireNonNull(endpoint.all().get(name)).limit());
    return state;
  }

  @Test
  void theStateIsThatOfAllKeysTogether() {
    with(
        (endpoint, hosts) -> {
          assertTrue(hosts.tryAcquire("a").isPresent());
          hosts.tryAcquire("b").orElseThrow().lost();
          hosts.limiter("c").pause();
          CompletableFuture<Permit> waiting = hosts.acquireAsync("c");
          TIME.advance(Duration.ofSeconds(72));
          LimiterState state = shown(endpoint, "hosts");
          assertEquals("peer(2/1s)", state.limit());
          assertEquals("peer(1000/1s)", state.limitOfAllKeys());
          assertEquals(hosts.size(), state.keys());
          assertEquals(1, state.waiting());
          assertEquals("1m12s", state.oldestWait());
          assertEquals("1m12s", state.oldestOpen());
          assertEquals(1, state.lost());
          assertTrue(waiting.cancel(true));
          assertNull(shown(endpoint, "hosts").oldestWait());
        });
  }

  @Test
  void anHoursPauseOfManyKeysIsEndedByOneCall() {
    with(
        (endpoint, hosts) -> {
          List<CompletableFuture<Permit>> waiting = new ArrayList<>();
          for (int i = 0; i < KEYS; i++) {
            hosts.limiter("host" + i).peerRefused(Duration.ofHours(1));
            waiting.add(hosts.acquireAsync("host" + i));
          }
          endpoint.change("hosts", "1/1m", null, null);
          TIME.advance(Duration.ofSeconds(2));
          assertEquals(KEYS, hosts.all().snapshot().waiting());
          assertEquals(0, endpoint.change("hosts", null, false, null).waiting());
          assertThat(waiting).allMatch(CompletableFuture::isDone);
          assertEquals("peer(1/1m)", hosts.limiter("host7").limit().toString());
        });
  }

  @Test
  void allKeysArePausedTogether() {
    with(
        (endpoint, hosts) -> {
          assertTrue(endpoint.change("hosts", null, true, null).paused());
          assertTrue(hosts.tryAcquire("a").isEmpty());
          endpoint.change("hosts", null, false, "1m");
          assertTrue(hosts.tryAcquire("a").isEmpty());
          TIME.advance(Duration.ofSeconds(61));
          assertTrue(hosts.tryAcquire("a").isPresent());
        });
  }

  /** A program that counts starts may tell no ends: as the peer counts, its permits stay open. */
  @Test
  void aLimitOfStartsStaysOne() {
    with(
        (endpoint, hosts) -> {
          assertEquals("5/1s", endpoint.change("starts", "5/1s", null, null).limit());
          assertEquals("peer(5/1s)", endpoint.change("starts", "peer(5/1s)", null, null).limit());
          assertEquals("peer(6/1s)", endpoint.change("starts", "6/1s", null, null).limit());
        });
  }

  @Test
  void aPropertyGoesBeforeABeanOfItsName() {
    with((endpoint, hosts) -> assertEquals("peer(10/1m)", shown(endpoint, "sms").limit()));
  }

  @Test
  void anUnknownNameIsToldTheNamesThereAre() {
    with(
        (endpoint, hosts) -> {
          assertNull(endpoint.one("other"));
          var unknown =
              assertThrows(
                  InvalidEndpointRequestException.class,
                  () -> endpoint.change("other", null, true, null));
          assertThat(unknown).hasMessageContaining("only [hosts, sms, starts]");
        });
  }
}
