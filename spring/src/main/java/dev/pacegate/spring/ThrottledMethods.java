package dev.pacegate.spring;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.MethodMatcher;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
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
import org.springframework.beans.factory.config.SingletonBeanRegistry;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Adds the advice to beans with {@link Throttled} methods, behind the advice that is there. It runs
 * before the post-processors of listeners, as of {@code @KafkaListener}, which keep the bean that
 * they are given. {@link InnermostPermit} puts the advice behind that of others that run later.
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

  private record Checked(Class<?> type, boolean hasTarget) {}

  private static final Logger LOG = System.getLogger("dev.pacegate");

  private final transient ListableBeanFactory beans;
  private final transient ThrottledAdvice advice;
  private final transient Set<Checked> beforeStart = ConcurrentHashMap.newKeySet();
  private final transient Set<String> seen = ConcurrentHashMap.newKeySet(); // names of beans
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
    setOrder(Ordered.LOWEST_PRECEDENCE - 1);
  }

  Advice advice() {
    return advice;
  }

  /**
   * A proxy without a target, as that of an {@code @HttpExchange} interface, has no class by which
   * Spring could find what is inherited, and sends by its last advice.
   */
  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (!started) {
      seen.add(name);
    }
    if (bean instanceof Advised proxy && isPaced(proxy)) {
      return bean; // by another name
    }
    if (bean instanceof Advised proxy
        && proxy.getTargetSource() == EmptyTargetSource.INSTANCE
        && proxy.getAdvisorCount() > 0
        && !proxy.isFrozen()
        && super.isEligible(bean.getClass())) {
      check(new Checked(bean.getClass(), false));
      var methods = ThrottledAdvice.methodsOf(bean.getClass());
      proxy.addAdvisor(proxy.getAdvisorCount() - 1, new DefaultPointcutAdvisor(methods, advice));
      return bean;
    }
    return super.postProcessAfterInitialization(bean, name);
  }

  /** A second advice would take a second permit. */
  private boolean isPaced(Advised proxy) {
    return Arrays.stream(proxy.getAdvisors()).anyMatch(each -> each.getAdvice() == advice);
  }

  @Override
  protected boolean isEligible(Class<?> type) {
    boolean eligible = super.isEligible(type);
    if (eligible) {
      check(new Checked(type, true));
    }
    return eligible;
  }

  /** A proxy of it would be a subclass. */
  @Override
  protected ProxyFactory prepareProxyFactory(Object bean, String name) {
    Class<?> type = bean.getClass();
    if (Modifier.isFinal(type.getModifiers())
        && !Proxy.isProxyClass(type)
        && !ClassUtils.isLambdaClass(type)) {
      throw new IllegalStateException(
          "@Throttled: "
              + type.getName()
              + " is final, so no proxy can pace it: make it non-final (in Kotlin, open)");
    }
    return super.prepareProxyFactory(bean, name);
  }

  private void check(Checked type) {
    if (started) {
      advice.check(type.type, type.hasTarget);
    } else {
      beforeStart.add(type); // limiters may not be there yet
    }
  }

  /** Names that are unknown end the start. */
  @Override
  public void afterSingletonsInstantiated() {
    started = true;
    beforeStart.forEach(this::check);
    beforeStart.clear();
    checkMade();
    warnOfUnseen();
    seen.clear();
  }

  /** They were made before this one, or outside of Spring. */
  private void warnOfUnseen() {
    if (beans instanceof SingletonBeanRegistry registry) {
      Arrays.stream(registry.getSingletonNames())
          .filter(name -> !seen.contains(name))
          .forEach(name -> warnOfUnseen(name, registry.getSingleton(name)));
    }
  }

  private void warnOfUnseen(String name, @Nullable Object bean) {
    if (bean != null && super.isEligible(AopUtils.getTargetClass(bean))) {
      LOG.log(
          Level.WARNING,
          "@Throttled has no effect on the bean "
              + name
              + ", so its calls take no permits: it was registered as an object, or created early"
              + " because a BeanPostProcessor needs it. Inject an ObjectProvider of it there");
    }
  }

  /** Feign's beans are made by factories, when they are used. */
  private void checkMade() {
    for (String factory : beans.getBeanNamesForType(FactoryBean.class, true, false)) {
      Class<?> type = beans.getType(BeanFactoryUtils.transformedBeanName(factory), false);
      if (type != null && type.isInterface() && super.isEligible(type)) {
        advice.check(type, true);
      }
    }
  }
}
