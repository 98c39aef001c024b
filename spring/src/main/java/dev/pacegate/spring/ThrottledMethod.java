package dev.pacegate.spring;

import static org.springframework.core.annotation.MergedAnnotations.SearchStrategy.TYPE_HIERARCHY;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Objects;
import java.util.Set;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;

/**
 * A method that is {@link Throttled}.
 *
 * @param named the method that names the parameters: beside the annotation, if names are kept there
 */
record ThrottledMethod(
    Method method, Method named, Throttled throttled, ListableBeanFactory beans) {

  static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

  /** By name, as they need not be there. */
  private static final Set<String> LIFECYCLE =
      Set.of("jakarta.annotation.PostConstruct", "jakarta.annotation.PreDestroy");

  static ThrottledMethod of(
      Method method, MergedAnnotation<Throttled> annotation, ListableBeanFactory beans) {
    var source = (AnnotatedElement) Objects.requireNonNull(annotation.getSource());
    var throttled =
        new ThrottledMethod(method, named(method, source), annotation.synthesize(), beans);
    throttled.refuseSecond(source);
    return throttled;
  }

  /** An annotation of a type stands for the methods as that type declares them. */
  private static Method named(Method method, AnnotatedElement source) {
    Method declared =
        source instanceof Class<?> type
            ? ClassUtils.getMethodIfAvailable(type, method.getName(), method.getParameterTypes())
            : (Method) source;
    return declared == null || NAMES.getParameterNames(declared) == null ? method : declared;
  }

  /** Of two annotations one would have no effect. */
  private void refuseSecond(AnnotatedElement source) {
    var names =
        MergedAnnotations.from(source).stream(Throttled.class)
            .map(MergedAnnotation::synthesize)
            .distinct() // equal ones, by two annotations of the program, mean the same
            .map(each -> '"' + each.value() + '"')
            .sorted()
            .toList();
    if (names.size() > 1) {
      throw refused(
          "is @Throttled twice, by "
              + String.join(" and ", names)
              + ": name one limiter that keeps both limits, such as 10/1s & 200/1m");
    }
  }

  /**
   * A proxy passes over such methods, or Spring over the proxy: their calls would go out without a
   * permit.
   */
  void refuseUnseen() {
    int modifiers = method.getModifiers();
    if (Modifier.isPrivate(modifiers)
        || Modifier.isStatic(modifiers)
        || Modifier.isFinal(modifiers)) {
      throw refused("cannot be paced: a private, static or final method is not seen by a proxy");
    }
    if (isOfMethod() && isOfLifecycle()) {
      throw refused(
          "cannot be paced: it is called by Spring on the bean itself, not on its proxy. Move what"
              + " it sends to a method of another bean, and annotate that");
    }
  }

  /** Returns whether not only the type is annotated. */
  private boolean isOfMethod() {
    return MergedAnnotations.from(method, TYPE_HIERARCHY).isPresent(Throttled.class);
  }

  private boolean isOfLifecycle() {
    Class<?> type = method.getDeclaringClass();
    var annotations = MergedAnnotations.from(method);
    return LIFECYCLE.stream().anyMatch(annotations::isPresent)
        || (isNamed("afterPropertiesSet") && InitializingBean.class.isAssignableFrom(type))
        || (isNamed("destroy") && DisposableBean.class.isAssignableFrom(type));
  }

  private boolean isNamed(String name) {
    return method.getName().equals(name) && method.getParameterCount() == 0;
  }

  /** Returns a text of the annotation without placeholders. */
  String resolved(String text) {
    return beans instanceof ConfigurableBeanFactory resolving
        ? Objects.requireNonNull(resolving.resolveEmbeddedValue(text))
        : text;
  }

  /** Returns the failure of a start because of what the method returns. */
  IllegalStateException mustReturn(String what) {
    String orElse = isOfMethod() ? "" : ", or annotate the other methods and not the type";
    return refused("must return " + what + orElse);
  }

  /** Returns the failure of a start. */
  IllegalStateException refused(String why) {
    return new IllegalStateException(told(why));
  }

  /** Returns a message about the method. */
  String told(String what) {
    return "@Throttled: " + method.toGenericString() + " " + what;
  }
}
