package dev.pacegate.spring;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.aop.MethodMatcher;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.ComposablePointcut;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcher;
import org.springframework.aop.support.annotation.AnnotationClassFilter;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.aop.target.EmptyTargetSource;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.FactoryBean;
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

  private final transient ListableBeanFactory beans;
  private final transient ThrottledAdvice advice;
  private final transient Set<Class<?>> beforeStart = ConcurrentHashMap.newKeySet();
  private volatile boolean started;

  ThrottledMethods(ListableBeanFactory beans) {
    this.beans = beans;
    this.advice = new ThrottledAdvice(beans);
    this.advisor =
        new DefaultPointcutAdvisor(
            new ComposablePointcut(new AnnotationClassFilter(Throttled.class, true), OF_CLASS)
                .union((Pointcut) new AnnotationMatchingPointcut(null, Throttled.class, true)),
            advice);
    setProxyTargetClass(true);
    setOrder(Ordered.LOWEST_PRECEDENCE);
  }

  /**
   * A proxy without a target, as that of an {@code @HttpExchange} interface, has no class by which
   * Spring could find what is inherited, and sends by its last advice.
   */
  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (bean instanceof Advised proxy
        && proxy.getTargetSource() == EmptyTargetSource.INSTANCE
        && proxy.getAdvisorCount() > 0
        && !proxy.isFrozen()
        && isEligible(bean.getClass())) {
      var methods = ThrottledAdvice.methodsOf(bean.getClass());
      proxy.addAdvisor(proxy.getAdvisorCount() - 1, new DefaultPointcutAdvisor(methods, advice));
      return bean;
    }
    return super.postProcessAfterInitialization(bean, name);
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
    checkMade();
  }

  /** Feign's beans are made by factories, when they are used. */
  private void checkMade() {
    for (String factory : beans.getBeanNamesForType(FactoryBean.class, true, false)) {
      Class<?> type = beans.getType(BeanFactoryUtils.transformedBeanName(factory), false);
      if (type != null && type.isInterface() && super.isEligible(type)) {
        advice.check(type);
      }
    }
  }
}
