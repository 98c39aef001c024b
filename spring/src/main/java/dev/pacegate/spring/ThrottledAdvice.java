package dev.pacegate.spring;

import static org.springframework.util.ReflectionUtils.USER_DECLARED_METHODS;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Map;
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
   * Finds the limiters of all throttled methods of a class.
   *
   * @throws IllegalStateException if one has none, or cannot be paced
   */
  void check(Class<?> type) {
    Class<?> user = ClassUtils.getUserClass(type);
    Stream<Class<?>> declaring =
        Proxy.isProxyClass(user) ? Arrays.stream(user.getInterfaces()) : Stream.of(user);
    declaring
        .map(each -> ReflectionUtils.getUniqueDeclaredMethods(each, USER_DECLARED_METHODS))
        .flatMap(Arrays::stream)
        .filter(method -> throttled(method, user) != null)
        .forEach(method -> paced(method, user));
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Object target = invocation.getThis();
    Method called = invocation.getMethod();
    Class<?> type =
        target == null
            ? ((ProxyMethodInvocation) invocation).getProxy().getClass()
            : AopProxyUtils.ultimateTargetClass(target);
    return paced(specific(called, type), type).call(invocation);
  }

  /**
   * The methods of a declarative client's proxy are final, but another proxy has its interfaces.
   */
  private static Method specific(Method called, Class<?> type) {
    return Proxy.isProxyClass(type) ? called : AopUtils.getMostSpecificMethod(called, type);
  }

  private PacedMethod paced(Method method, Class<?> type) {
    return methods.computeIfAbsent(new Key(type, method), key -> make(method, type));
  }

  private PacedMethod make(Method method, Class<?> type) {
    Throttled throttled = throttled(method, type);
    if (throttled == null) {
      throw new IllegalStateException(method + " is not @Throttled");
    }
    refuseUnseen(method);
    return PacedMethod.of(method, throttled, beans);
  }

  /** A proxy of a class passes over such methods: their calls would go out without a permit. */
  private static void refuseUnseen(Method method) {
    int modifiers = method.getModifiers();
    if (Modifier.isPrivate(modifiers)
        || Modifier.isStatic(modifiers)
        || Modifier.isFinal(modifiers)) {
      throw PacedMethod.refused(
          method, "cannot be paced: a private, static or final method is not seen by a proxy");
    }
  }

  /** Returns the throttled methods of a class, whatever type declares them. */
  static Pointcut methodsOf(Class<?> type) {
    return new StaticMethodMatcherPointcut() {
      @Override
      public boolean matches(Method method, Class<?> unknown) {
        return throttled(method, type) != null;
      }
    };
  }

  private static @Nullable Throttled throttled(Method method, Class<?> type) {
    Throttled own = AnnotatedElementUtils.findMergedAnnotation(method, Throttled.class);
    boolean ofClass = own == null && isOfClass(method) && !isInheritedFinal(method);
    return ofClass ? AnnotatedElementUtils.findMergedAnnotation(type, Throttled.class) : own;
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
