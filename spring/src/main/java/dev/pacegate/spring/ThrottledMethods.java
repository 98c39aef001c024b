package dev.pacegate.spring;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.aop.MethodMatcher;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.ComposablePointcut;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcher;
import org.springframework.aop.support.annotation.AnnotationClassFilter;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;

/**
 * Adds the advice to beans with {@link Throttled} methods, behind all other advice. It runs last of
 * all post-processors, so that proxies of others are there; those that come later still go first.
 */
final class ThrottledMethods extends AbstractBeanFactoryAwareAdvisingPostProcessor
    implements SmartInitializingSingleton {

  private static final long serialVersionUID = 1;

  private static final MethodMatcher OF_CLASS =
      new StaticMethodMatcher() {
        @Override
        public boolean matches(Method method, Class<?> type) {
          return ThrottledAdvice.isOfClass(method);
        }
      };

  private final transient ThrottledAdvice advice;
  private final transient Set<Class<?>> beforeStart = ConcurrentHashMap.newKeySet();
  private volatile boolean started;

  ThrottledMethods(ListableBeanFactory beans) {
    this.advice = new ThrottledAdvice(beans);
    this.advisor =
        new DefaultPointcutAdvisor(
            new ComposablePointcut(new AnnotationClassFilter(Throttled.class, true), OF_CLASS)
                .union((Pointcut) new AnnotationMatchingPointcut(null, Throttled.class, true)),
            advice);
    setProxyTargetClass(true);
    setOrder(Ordered.LOWEST_PRECEDENCE);
  }

  @Override
  protected boolean isEligible(Class<?> type) {
    boolean eligible = super.isEligible(type);
    if (eligible && started) {
      advice.check(type);
    } else if (eligible) {
      beforeStart.add(type); // limiters may not be there yet
    }
    return eligible;
  }

  /** Names that are unknown end the start. */
  @Override
  public void afterSingletonsInstantiated() {
    started = true;
    beforeStart.forEach(advice::check);
    beforeStart.clear();
  }
}
