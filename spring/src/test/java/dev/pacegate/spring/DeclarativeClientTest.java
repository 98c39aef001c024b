package dev.pacegate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.WaitTooLongException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/** Interfaces whose beans are proxies that send: those of {@code @HttpExchange} and of Feign. */
@Timeout(60)
class DeclarativeClientTest {

  private final Peer peer;

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(PacegateAutoConfiguration.class))
          .withPropertyValues("pacegate.limits.sms=2/1h");

  DeclarativeClientTest() throws IOException {
    peer = new Peer();
  }

  @AfterEach
  void closePeer() {
    peer.close();
  }

  @HttpExchange
  interface Annotated {
    @GetExchange("/ok")
    @Throttled(value = "sms", maxWait = "0s")
    String send();

    @GetExchange("/ok")
    String sendFreely();
  }

  interface Sending {
    @GetExchange("/ok")
    String send();
  }

  @HttpExchange
  @Throttled(value = "sms", maxWait = "0s")
  interface Inheriting extends Sending {}

  @HttpExchange
  interface Misspelt {
    @GetExchange("/ok")
    @Throttled("smss")
    String send();
  }

  @HttpExchange
  interface Unseen {
    @GetExchange("/ok")
    @Throttled("sms")
    Future<String> send();
  }

  private <T> T client(Class<T> type) {
    RestClient client =
        RestClient.builder()
            .requestFactory(new JdkClientHttpRequestFactory())
            .baseUrl(peer.uri(""))
            .build();
    return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client))
        .build()
        .createClient(type);
  }

  private <T> ApplicationContextRunner with(Class<T> type) {
    return runner.withBean(type, () -> client(type));
  }

  private interface Send {
    String now();
  }

  private void assertPaced(AssertableApplicationContext context, Send send) {
    Limiter limiter = context.getBean(Limiter.class);
    assertEquals("answer", send.now());
    assertEquals("answer", send.now());
    assertThrows(WaitTooLongException.class, send::now);
    assertEquals(2, limiter.snapshot().granted());
    assertEquals(2, peer.count());
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void aMethodOfAnHttpExchangeIsPaced() {
    with(Annotated.class)
        .run(
            context -> {
              Annotated client = context.getBean(Annotated.class);
              assertPaced(context, client::send);
              assertEquals("answer", client.sendFreely());
            });
  }

  @Test
  void anHttpExchangeThatIsThrottledIsPacedWithAllThatItInherits() {
    with(Inheriting.class)
        .run(context -> assertPaced(context, context.getBean(Inheriting.class)::send));
  }

  /** Feign's beans are made by a factory, too, and are such proxies. */
  static final class Factory<T> implements FactoryBean<T> {
    private final Class<T> type;
    private final T client;

    Factory(Class<T> type, T client) {
      this.type = type;
      this.client = client;
    }

    @Override
    public T getObject() {
      return type.cast(
          Proxy.newProxyInstance(
              type.getClassLoader(),
              new Class<?>[] {type},
              (proxy, method, arguments) -> method.invoke(client, arguments)));
    }

    @Override
    public Class<T> getObjectType() {
      return type;
    }
  }

  private <T> ApplicationContextRunner withFactory(Class<T> type) {
    return runner.withBean("client", Factory.class, () -> new Factory<>(type, client(type)));
  }

  @Test
  void aMethodOfAProxyThatAFactoryMakesIsPaced() {
    withFactory(Annotated.class)
        .run(context -> assertPaced(context, context.getBean(Annotated.class)::send));
  }

  @HttpExchange
  @Throttled("sms")
  public interface Composing extends Sending {
    default String sendTwice() {
      return send() + send();
    }
  }

  /** A permit of the method around them would wait for itself under a limit of one in flight. */
  @Test
  void aDefaultMethodOfAnHttpExchangeTakesNoPermitOfItsOwn() {
    with(Composing.class)
        .run(
            context -> {
              Limiter limiter = context.getBean(Limiter.class);
              assertEquals("answeranswer", context.getBean(Composing.class).sendTwice());
              assertEquals(peer.count(), limiter.snapshot().granted());
            });
  }

  @HttpExchange
  @Throttled("sms")
  public interface Submitting extends Sending {
    default Future<String> submit() {
      return CompletableFuture.completedFuture(send());
    }
  }

  /** The end of its result need not be seen, as it takes no permit. */
  @Test
  void aDefaultMethodOfAnHttpExchangeMayReturnAnything() {
    with(Submitting.class)
        .run(
            context -> {
              assertEquals("answer", context.getBean(Submitting.class).submit().get());
              assertEquals(1, context.getBean(Limiter.class).snapshot().granted());
            });
  }

  /** A factory's client takes one permit for it, as for any method. */
  @Test
  void aDefaultMethodThatTakesAPermitNamesTheWayOut() {
    withFactory(Submitting.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("Submitting.submit() must return a CompletableFuture")
                    .hasStackTraceContaining("or annotate the other methods and not the type"));
  }

  @HttpExchange
  interface ByCustomer {
    @GetExchange("/ok")
    @Throttled(value = "customers", key = "#customer", maxWait = "0s")
    String send(@RequestParam String customer);
  }

  @Test
  void aKeyOfAnHttpExchangeHasALimitOfItsOwn() {
    with(ByCustomer.class)
        .withBean("customers", KeyedLimiter.class, () -> KeyedLimiter.of("peer(1/1h)"))
        .run(
            context -> {
              ByCustomer client = context.getBean(ByCustomer.class);
              assertEquals("answer", client.send("a"));
              assertEquals("answer", client.send("b"));
              assertThrows(WaitTooLongException.class, () -> client.send("a"));
              assertEquals(2, peer.count());
              assertEquals(
                  0, context.getBean("customers", KeyedLimiter.class).all().snapshot().open());
            });
  }

  @Throttled(value = "sms", maxWait = "0s")
  interface Repository {
    String send();
  }

  /** It does not implement the interface, as those of Spring Data do not. */
  private final class Store {
    @Nullable String read() {
      return new RestTemplate(new JdkClientHttpRequestFactory())
          .getForObject(peer.uri("/ok"), String.class);
    }
  }

  private Repository repository() {
    var proxy = new ProxyFactory();
    proxy.setInterfaces(Repository.class);
    proxy.setTarget(new Store());
    proxy.addAdvice(
        (MethodInterceptor) call -> ((Store) Objects.requireNonNull(call.getThis())).read());
    return (Repository) proxy.getProxy();
  }

  @Test
  void aProxyOfAnInterfaceThatItsTargetDoesNotImplementIsPaced() {
    runner
        .withBean(Repository.class, this::repository)
        .run(context -> assertPaced(context, context.getBean(Repository.class)::send));
  }

  @Test
  void aMistakeOnAnInterfaceEndsTheStart() {
    with(Misspelt.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("Misspelt.send() names the limiter \"smss\""));
  }

  /** Its bean is made only when it is used. */
  @Test
  void aMistakeOnAnInterfaceOfAFactoryEndsTheStart() {
    withFactory(Misspelt.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("Misspelt.send() names the limiter \"smss\""));
  }

  @Test
  void aMethodWhoseEndCannotBeSeenEndsTheStart() {
    with(Unseen.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("Unseen.send() must return a CompletableFuture"));
  }
}
