package dev.pacegate.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs each call of a method with a permit of the limiter of that name.
 *
 * <pre>{@code
 * @Throttled("sms")
 * public String send(String text) { … }
 * }</pre>
 *
 * <p><b>Waiting.</b> A method that returns a {@link java.util.concurrent.CompletionStage}, a Mono
 * or a Flux returns at once and holds no thread; any other waits on the calling thread. A wait that
 * is cancelled or interrupted costs nothing. After a wait, a method that returns a stage runs on a
 * thread of the limiter, when the advice around it, such as a transaction, has returned.
 *
 * <p><b>Ends.</b> The permit ends with the result: with the return, the stage, the Mono or the
 * Flux. A failure ends it as {@link dev.pacegate.FailureClassifier} says, so a time-out stays
 * spent. Each subscription to a Mono or Flux takes a permit and calls the method.
 *
 * <p><b>Order.</b> The permit is taken innermost: inside retries, caches, transactions and other
 * advice, so each attempt takes one and a cache hit takes none. A wait on the calling thread holds
 * a transaction around it: begin transactions inside, on another bean that the method calls.
 *
 * <p><b>Not as</b> {@code @ConcurrencyLimit} of Spring Framework 7, which bounds how many calls of
 * one bean run at once and knows no time. For that too, write {@code 10/1m & concurrent(4)}.
 *
 * <p><b>Places.</b> A method, a class, an interface, or an annotation of your own, whose attributes
 * may be {@link org.springframework.core.annotation.AliasFor aliases}; methods inherit it from
 * superclasses and interfaces. The nearest counts; two on one method or type are an error at the
 * start. On a class or an interface it stands for all public methods but {@code equals}, {@code
 * hashCode} and {@code toString}. The interface may be that of a declarative client, as of
 * {@code @HttpExchange} or Feign. On an interface it stands for no default methods of
 * {@code @HttpExchange}, as the methods that they call take the permits.
 *
 * <p><b>Not paced.</b> As with all advice, a call from within the same bean takes no permit, and
 * nothing tells. Call a method of another bean, or the bean itself by a reference that Spring
 * injects ({@code @Lazy}). Errors at the start are: a private, static or final method, a final
 * class, and a method that Spring calls on the bean itself, as {@code @PostConstruct}. A bean that
 * was made too early for a proxy is warned of.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Throttled {

  /**
   * Names the limiter: that of {@code pacegate.limits.<name>}, or a bean of your own with that name
   * or qualifier, of type {@link dev.pacegate.Limiter} or, with a {@link #key}, {@link
   * dev.pacegate.KeyedLimiter}. Placeholders are resolved.
   */
  String value();

  /**
   * Bounds the wait, such as {@code "30s"}; a call that would wait longer fails with {@link
   * dev.pacegate.WaitTooLongException}, at once if that is known. Placeholders are resolved.
   * Default: unbounded.
   */
  String maxWait() default "";

  /**
   * Gives the key of a call: each key has a limit of its own. The limiter must be a {@link
   * dev.pacegate.KeyedLimiter}. The value is converted to its type of keys; a null fails the call
   * with an {@link IllegalArgumentException}, and takes no permit. Default: one limit for all
   * calls.
   *
   * <p>It is an expression of Spring's language over the arguments, as in {@code @Cacheable}:
   * {@code #customer} for the parameter of that name (compile with {@code -parameters}), {@code
   * #p0} or {@code #a0} for the first, {@code #root.args}, {@code #root.method}, {@code
   * #root.methodName}, {@code #root.target}, {@code #root.targetClass}, {@code @bean}. The names
   * are those of the method that has the annotation. A mistake ends the start where it can be
   * known. Of a Mono or Flux it is evaluated at each subscription.
   */
  String key() default "";

  /**
   * Gives the cost of a call, as {@link #key} does the key: a whole number of 0 or more; a map for
   * {@linkplain dev.pacegate.limit.Cost#of(String, long) named} costs, such as {@code "{tokens:
   * #text.length() / 3}"}; or a {@link dev.pacegate.limit.Cost}. Anything else fails the call, as a
   * null key does. A limit that counts no costs is an error at the start. Default: 1.
   */
  String cost() default "";
}
