package sample;

import dev.pacegate.Limiter;
import dev.pacegate.spring.PacedExchangeFilter;
import dev.pacegate.spring.PacedInterceptor;
import dev.pacegate.spring.Throttled;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/** A gateway that passes texts on to a provider, in three ways; the limit is a property. */
@SpringBootApplication
public class SampleApplication {

  public static void main(String[] args) {
    SpringApplication.run(SampleApplication.class, args);
  }

  @Bean
  RestClient restClient(@Qualifier("sms") Limiter sms) {
    return RestClient.builder().requestInterceptor(PacedInterceptor.of(sms)).build();
  }

  @Bean
  WebClient webClient(@Qualifier("sms") Limiter sms) {
    return WebClient.builder().filter(PacedExchangeFilter.of(sms)).build();
  }

  /** Calls by a client of its own, and so with a permit by annotation. */
  @Service
  static class Sender {

    private final RestClient plain = RestClient.create();

    @Throttled("sms")
    public String send(String uri) {
      return plain.get().uri(uri).retrieve().body(String.class);
    }
  }

  /** What users call. */
  @RestController
  static class Gateway {

    private final RestClient restClient;
    private final WebClient webClient;
    private final Sender sender;
    private final String provider;

    Gateway(
        RestClient restClient,
        WebClient webClient,
        Sender sender,
        @Value("${provider}") String provider) {
      this.restClient = restClient;
      this.webClient = webClient;
      this.sender = sender;
      this.provider = provider;
    }

    @GetMapping("/rest")
    String rest() {
      return restClient.get().uri(provider).retrieve().body(String.class);
    }

    @GetMapping("/web")
    Mono<String> web() {
      return webClient.get().uri(provider).retrieve().bodyToMono(String.class);
    }

    @GetMapping("/method")
    String method() {
      return sender.send(provider);
    }
  }
}
