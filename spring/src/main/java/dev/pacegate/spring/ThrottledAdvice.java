package dev.pacegate.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Takes a permit for each call of a {@link Throttled} method. */
final class ThrottledAdvice implements MethodInterceptor {

  private record Key(Class<?> type, Method method) {}

  private final ListableBeanFactory beans;
  private final Map<Key, PacedMethod> methods = new ConcurrentHashMap<>();

  ThrottledAdvice(ListableBeanFactory beans) {
    this.beans = beans;
  }

  /**
   * Finds the limiters of all methods of a class.
   *
   * @throws IllegalStateException if one has none, or cannot be paced
   */
  void check(Class<?> type) {
    Class<?> user = ClassUtils.getUserClass(type);
    Arrays.stream(
            ReflectionUtils.getUniqueDeclaredMethods(user, ReflectionUtils.USER_DECLARED_METHODS))
        .filter(method -> throttled(method, user) != null)
        .forEach(method -> paced(method, user));
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Object target = invocation.getThis();
    Method called = invocation.getMethod();
    Class<?> type =
        target == null ? called.getDeclaringClass() : AopProxyUtils.ultimateTargetClass(target);
    return paced(AopUtils.getMostSpecificMethod(called, type), type).call(invocation);
  }

  private PacedMethod paced(Method method, Class<?> type) {
    return methods.computeIfAbsent(new Key(type, method), key -> make(method, type));
  }

  private PacedMethod make(Method method, Class<?> type) {
    Throttled throttled = throttled(method, type);
    if (throttled == null) {
      throw new IllegalStateException(method + " is not @Throttled");
    }
    return PacedMethod.of(method, throttled, beans);
  }

  private static @Nullable Throttled throttled(Method method, Class<?> type) {
    Throttled own = AnnotatedElementUtils.findMergedAnnotation(method, Throttled.class);
    if (own != null || method.getDeclaringClass() == Object.class) {
      return own;
    }
    return AnnotatedElementUtils.findMergedAnnotation(type, Throttled.class);
  }
}
