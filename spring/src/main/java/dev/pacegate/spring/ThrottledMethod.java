package dev.pacegate.spring;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Objects;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;

/**
 * A method that is {@link Throttled}.
 *
 * @param named the method that names the parameters: beside the annotation, if names are kept there
 */
record ThrottledMethod(
    Method method, Method named, Throttled throttled, ListableBeanFactory beans) {

  static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

  static ThrottledMethod of(
      Method method, MergedAnnotation<Throttled> annotation, ListableBeanFactory beans) {
    var source = (AnnotatedElement) Objects.requireNonNull(annotation.getSource());
    return new ThrottledMethod(method, named(method, source), annotation.synthesize(), beans);
  }

  /** An annotation of a type stands for the methods as that type declares them. */
  private static Method named(Method method, AnnotatedElement source) {
    Method declared =
        source instanceof Class<?> type
            ? ClassUtils.getMethodIfAvailable(type, method.getName(), method.getParameterTypes())
            : (Method) source;
    return declared == null || NAMES.getParameterNames(declared) == null ? method : declared;
  }

  /** A proxy of a class passes over such methods: their calls would go out without a permit. */
  void refuseUnseen() {
    int modifiers = method.getModifiers();
    if (Modifier.isPrivate(modifiers)
        || Modifier.isStatic(modifiers)
        || Modifier.isFinal(modifiers)) {
      throw refused("cannot be paced: a private, static or final method is not seen by a proxy");
    }
  }

  /** Returns a text of the annotation without placeholders. */
  String resolved(String text) {
    return beans instanceof ConfigurableBeanFactory resolving
        ? Objects.requireNonNull(resolving.resolveEmbeddedValue(text))
        : text;
  }

  /** Returns the failure of a start because of what the method returns. */
  IllegalStateException mustReturn(String what) {
    return refused("must return " + what);
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
