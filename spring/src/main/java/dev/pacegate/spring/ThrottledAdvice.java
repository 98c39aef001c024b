package dev.pacegate.spring;

import static org.springframework.util.ReflectionUtils.USER_DECLARED_METHODS;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Takes a permit for each call of a {@link Throttled} method. */
final class ThrottledAdvice implements MethodInterceptor {

  private record Key(Method called, Class<?> type, Class<?> proxy) {}

  private final ListableBeanFactory beans;
  private final Map<Key, PacedMethod> methods = new ConcurrentHashMap<>();

  ThrottledAdvice(ListableBeanFactory beans) {
    this.beans = beans;
  }

  /**
   * Finds the limiters of all throttled methods of a class.
   *
   * @param hasTarget whether its proxy has one, so that default methods are not called by the proxy
   * @throws IllegalStateException if one has none, or cannot be paced
   */
  void check(Class<?> type, boolean hasTarget) {
    Class<?> user = ClassUtils.getUserClass(type);
    Stream<Class<?>> declaring =
        Proxy.isProxyClass(user) ? Arrays.stream(user.getInterfaces()) : Stream.of(user);
    declaring
        .map(each -> ReflectionUtils.getUniqueDeclaredMethods(each, USER_DECLARED_METHODS))
        .flatMap(Arrays::stream)
        .filter(
            method -> (hasTarget ? throttled(method, user) : withoutTarget(method, user)) != null)
        .forEach(method -> paced(new Key(method, user, user)));
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Object target = invocation.getThis();
    Method called = invocation.getMethod();
    Class<?> proxy =
        target == null
            ? ((ProxyMethodInvocation) invocation).getProxy().getClass()
            : target.getClass();
    Class<?> type = target == null ? proxy : AopProxyUtils.ultimateTargetClass(target);
    return paced(new Key(called, type, proxy)).call(invocation);
  }

  /**
   * The methods of a declarative client's proxy are final, but another proxy has its interfaces.
   */
  private static Method specific(Method called, Class<?> type) {
    return Proxy.isProxyClass(type) ? called : AopUtils.getMostSpecificMethod(called, type);
  }

  /** Outside the map's lock: a limiter may be made meanwhile, by a call of a throttled method. */
  private PacedMethod paced(Key key) {
    PacedMethod known = methods.get(key);
    if (known == null) {
      methods.putIfAbsent(key, make(key));
      known = Objects.requireNonNull(methods.get(key));
    }
    return known;
  }

  /** The class behind a proxy need not implement its interfaces. */
  private PacedMethod make(Key key) {
    Method method = specific(key.called, key.type);
    MergedAnnotation<Throttled> annotation = throttled(method, key.type);
    if (annotation == null) {
      method = key.called;
      annotation = throttled(method, key.proxy);
    }
    if (annotation == null) {
      throw new IllegalStateException(method + " is not @Throttled");
    }
    var throttled = ThrottledMethod.of(method, annotation, beans);
    throttled.refuseUnseen();
    return PacedMethod.of(throttled);
  }

  /**
   * Returns the throttled methods of a proxy without a target, whatever type declares them. Default
   * methods call the others by the proxy: a permit of their own would be one too many.
   */
  static Pointcut methodsOf(Class<?> type) {
    return new StaticMethodMatcherPointcut() {
      @Override
      public boolean matches(Method method, Class<?> unknown) {
        return withoutTarget(method, type) != null;
      }
    };
  }

  private static @Nullable MergedAnnotation<Throttled> withoutTarget(Method method, Class<?> type) {
    return method.isDefault() ? own(method) : throttled(method, type);
  }

  private static @Nullable MergedAnnotation<Throttled> throttled(Method method, Class<?> type) {
    MergedAnnotation<Throttled> own = own(method);
    boolean ofClass = own == null && isOfClass(method) && !isInheritedFinal(method);
    return ofClass ? ofClass(method, type) : own;
  }

  private static @Nullable MergedAnnotation<Throttled> own(AnnotatedElement element) {
    var found = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).get(Throttled.class);
    return found.isPresent() ? found : null;
  }

  /** Of several interfaces each means its own methods. */
  private static @Nullable MergedAnnotation<Throttled> ofClass(Method method, Class<?> type) {
    MergedAnnotation<Throttled> nearest = own(type);
    if (nearest == null || AnnotatedElementUtils.isAnnotated(type, Throttled.class)) {
      return nearest;
    }
    return ClassUtils.getAllInterfacesForClassAsSet(type).stream()
        .filter(each -> declares(each, method))
        .map(ThrottledAdvice::own)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(nearest);
  }

  /** Also by a generic method, which other types override with parameters of their own. */
  private static boolean declares(Class<?> type, Method method) {
    return Arrays.stream(type.getMethods())
        .map(each -> AopUtils.getMostSpecificMethod(each, method.getDeclaringClass()))
        .anyMatch(method::equals);
  }

  /** Returns whether an annotation of the class is meant for {@code method}. */
  static boolean isOfClass(Method method) {
    return Modifier.isPublic(method.getModifiers())
        && !Modifier.isStatic(method.getModifiers())
        && !ReflectionUtils.isObjectMethod(method);
  }

  /** Final methods of a superclass, such as a framework's setters, send nothing of this class. */
  private static boolean isInheritedFinal(Method method) {
    return Modifier.isFinal(method.getModifiers())
        && !AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Throttled.class);
  }
}
