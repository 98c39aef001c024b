package dev.pacegate.spring;

import dev.pacegate.Limiter;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Defines a bean for each limiter: of {@code pacegate.limits.sms} the bean {@code smsLimiter} with
 * the qualifier {@code sms}. A bean that the program defines under that name takes its place.
 */
final class LimiterBeans implements ImportBeanDefinitionRegistrar {

  private final Environment environment;

  LimiterBeans(Environment environment) {
    this.environment = environment;
  }

  @Override
  public void registerBeanDefinitions(
      AnnotationMetadata importing, BeanDefinitionRegistry registry) {
    for (String name : LimitTexts.parse(LimitTexts.in(environment)).keySet()) {
      String bean = beanName(name);
      if (!registry.containsBeanDefinition(bean)) {
        registry.registerBeanDefinition(bean, definition(name));
      }
    }
  }

  static String beanName(String limiter) {
    return limiter + "Limiter";
  }

  private static BeanDefinition definition(String name) {
    var bean = new RootBeanDefinition(Limiter.class);
    bean.setFactoryBeanName(PacegateAutoConfiguration.LIMITS);
    bean.setFactoryMethodName("get");
    bean.getConstructorArgumentValues().addIndexedArgumentValue(0, name);
    bean.setDestroyMethodName(""); // the registry closes them
    bean.addQualifier(new AutowireCandidateQualifier(Qualifier.class, name));
    return bean;
  }
}
