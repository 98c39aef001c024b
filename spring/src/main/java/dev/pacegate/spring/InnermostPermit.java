package dev.pacegate.spring;

import org.aopalliance.aop.Advice;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.target.EmptyTargetSource;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;

/**
 * Moves the advice behind that of post-processors that came after it, such as method validation.
 * Spring runs post-processors of this kind after all others.
 */
final class InnermostPermit implements MergedBeanDefinitionPostProcessor {

  private final Advice advice;

  InnermostPermit(ThrottledMethods methods) {
    this.advice = methods.advice();
  }

  @Override
  public void postProcessMergedBeanDefinition(
      RootBeanDefinition definition, Class<?> type, String name) {}

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (bean instanceof Advised proxy && !proxy.isFrozen()) {
      for (Advisor advisor : proxy.getAdvisors()) {
        if (advisor.getAdvice() == advice) {
          proxy.removeAdvisor(advisor);
          proxy.addAdvisor(innermost(proxy), advisor);
        }
      }
    }
    return bean;
  }

  /** Without a target, the last advice sends. */
  private static int innermost(Advised proxy) {
    int count = proxy.getAdvisorCount();
    return proxy.getTargetSource() == EmptyTargetSource.INSTANCE ? count - 1 : count;
  }
}
