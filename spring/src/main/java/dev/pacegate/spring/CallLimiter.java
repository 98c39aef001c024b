package dev.pacegate.spring;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.ResolvableType;

/**
 * The limiter of a call: one for all, or that of a key.
 *
 * @param limits that the calls must keep
 */
record CallLimiter(Function<MethodInvocation, Limiter> choice, List<Limit> limits) {

  /**
   * Finds the limiter that a method names.
   *
   * @throws IllegalStateException if there is none, or it has keys and the method none, or the
   *     other way round
   */
  static CallLimiter of(ThrottledMethod method) {
    String name = method.resolved(method.throttled().value());
    CallExpression key = CallExpression.of(method, "key", method.throttled().key());
    Limiter single = single(name, method.beans());
    String keyed = keyed(name, method.beans());
    if (key == null && single != null) {
      return new CallLimiter(call -> single, single.limits());
    }
    if (key != null && keyed != null) {
      return ofKeys(keyed, key, method.beans());
    }
    if (keyed != null) {
      throw method.refused(
          "names the keyed limiter \"" + name + "\", so it needs a key, such as key=\"#p0\"");
    }
    String bean = "define a bean KeyedLimiter<String> " + name;
    if (key != null && single != null) {
      throw key.refused("\"" + name + "\" has no keys: remove the key, or " + bean);
    }
    throw method.refused(
        "names the limiter \""
            + name
            + "\", which does not exist. There are "
            + names(method.beans())
            + ": "
            + (key == null ? "set the property " + LimitTexts.PREFIX + "." + name : bean));
  }

  private static Set<String> names(ListableBeanFactory beans) {
    var names = new TreeSet<String>(beans.getBean(PacegateLimits.class).names());
    names.addAll(List.of(keyedBeans(beans)));
    return names;
  }

  private static @Nullable Limiter single(String name, ListableBeanFactory beans) {
    try {
      return BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, Limiter.class, name);
    } catch (NoSuchBeanDefinitionException unknown) {
      String own = LimiterBeans.beanName(name); // the program's, without the qualifier
      return beans.containsBean(own) && beans.isTypeMatch(own, Limiter.class)
          ? beans.getBean(own, Limiter.class)
          : null;
    }
  }

  /** Returns the name of the bean. */
  private static @Nullable String keyed(String name, ListableBeanFactory beans) {
    return Arrays.stream(keyedBeans(beans))
        .filter(
            bean ->
                bean.equals(LimiterBeans.beanName(name))
                    || BeanFactoryAnnotationUtils.isQualifierMatch(name::equals, bean, beans))
        .findFirst()
        .orElse(null);
  }

  private static String[] keyedBeans(ListableBeanFactory beans) {
    return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, KeyedLimiter.class);
  }

  private static CallLimiter ofKeys(
      String bean, CallExpression expression, ListableBeanFactory beans) {
    @SuppressWarnings("unchecked") // the keys are converted
    KeyedLimiter<Object> keyed = beans.getBean(bean, KeyedLimiter.class);
    Class<?> type = keyType(bean, beans);
    Function<MethodInvocation, Limiter> choice =
        call -> {
          Object key = expression.value(call, type);
          if (key == null) {
            throw expression.wrong("is null, so there is no limiter", null);
          }
          return keyed.limiter(key);
        };
    return new CallLimiter(choice, List.of(keyed.limit(), keyed.all().limit()));
  }

  /** A key of another type, as 42 is for "42", would have a limit of its own. */
  private static Class<?> keyType(String bean, ListableBeanFactory beans) {
    try {
      return beans instanceof ConfigurableBeanFactory factory
          ? keyType(factory.getMergedBeanDefinition(bean).getResolvableType())
          : Object.class;
    } catch (NoSuchBeanDefinitionException registered) { // as an object
      return Object.class;
    }
  }

  private static Class<?> keyType(ResolvableType keyed) {
    return keyed.as(KeyedLimiter.class).getGeneric(0).resolve(Object.class);
  }
}
