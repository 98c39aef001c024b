package dev.pacegate.spring;

import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/** What is {@code #root} in an expression: a call, with the names of {@code @Cacheable}. */
final class CallRoot {

  private final MethodInvocation call;

  CallRoot(MethodInvocation call) {
    this.call = call;
  }

  public Method getMethod() {
    return call.getMethod();
  }

  public String getMethodName() {
    return call.getMethod().getName();
  }

  public @Nullable Object[] getArgs() {
    return call.getArguments();
  }

  public @Nullable Object getTarget() {
    return call.getThis();
  }

  public @Nullable Class<?> getTargetClass() {
    Object target = call.getThis();
    return target == null ? null : AopUtils.getTargetClass(target);
  }
}
