package dev.pacegate.spring;

import dev.pacegate.Limiter;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Objects;
import java.util.TreeSet;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.convert.DurationStyle;

/** What a {@link Throttled} names, found. */
record ThrottledName(Limiter limiter, Duration maxWait) {

  private static final Duration UNBOUNDED = Duration.ofSeconds(Long.MAX_VALUE);

  static ThrottledName of(Method method, Throttled throttled, ListableBeanFactory beans) {
    String name = resolved(throttled.value(), beans);
    return new ThrottledName(limiter(method, name, beans), maxWait(method, throttled, beans));
  }

  private static Limiter limiter(Method method, String name, ListableBeanFactory beans) {
    try {
      return BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, Limiter.class, name);
    } catch (NoSuchBeanDefinitionException unknown) {
      String own = LimiterBeans.beanName(name); // the program's, without the qualifier
      if (beans.containsBean(own) && beans.isTypeMatch(own, Limiter.class)) {
        return beans.getBean(own, Limiter.class);
      }
      var names = new TreeSet<String>(beans.getBean(PacegateLimits.class).names());
      throw PacedMethod.refused(
          method,
          "names the limiter \""
              + name
              + "\", and there is none, only "
              + names
              + ": set the property "
              + LimitTexts.PREFIX
              + "."
              + name);
    }
  }

  private static Duration maxWait(Method method, Throttled throttled, ListableBeanFactory beans) {
    String text = resolved(throttled.maxWait(), beans);
    try {
      return text.isEmpty() ? UNBOUNDED : DurationStyle.detectAndParse(text);
    } catch (IllegalArgumentException wrong) {
      throw PacedMethod.refused(
          method, "has maxWait=\"" + text + "\", which is no duration such as 30s or 500ms");
    }
  }

  private static String resolved(String text, ListableBeanFactory beans) {
    return beans instanceof ConfigurableBeanFactory resolving
        ? Objects.requireNonNull(resolving.resolveEmbeddedValue(text))
        : text;
  }
}
