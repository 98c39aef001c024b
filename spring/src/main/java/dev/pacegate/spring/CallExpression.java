package dev.pacegate.spring;

import java.util.Arrays;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.ParseException;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardTypeLocator;
import org.springframework.util.ClassUtils;

/**
 * An expression of a {@link Throttled} over the arguments of a call. What it names is checked at
 * the start: of a variable that is unknown SpEL makes a null.
 */
final class CallExpression {

  private static final SpelExpressionParser PARSER = new SpelExpressionParser();

  private final ThrottledMethod method;
  private final String shown;
  private final SpelExpression expression;
  private final BeanResolver beans;
  private final TypeLocator types;

  private CallExpression(ThrottledMethod method, String shown, SpelExpression expression) {
    this.method = method;
    this.shown = shown;
    this.expression = expression;
    this.beans = new BeanFactoryResolver(method.beans());
    this.types = new StandardTypeLocator(loader(method.beans()));
  }

  /** Threads of the JDK's common pool do not see the classes of a program in Boot's jar. */
  private static @Nullable ClassLoader loader(ListableBeanFactory beans) {
    return beans instanceof ConfigurableBeanFactory factory ? factory.getBeanClassLoader() : null;
  }

  /**
   * Returns the expression of an attribute, null if it is empty.
   *
   * @throws IllegalStateException if it is no expression, or names no parameter
   */
  static @Nullable CallExpression of(ThrottledMethod method, String attribute, String text) {
    if (text.isEmpty()) {
      return null;
    }
    String shown = attribute + "=\"" + text + '"';
    try {
      var made = new CallExpression(method, shown, PARSER.parseRaw(text));
      made.checkHeads(made.expression.getAST());
      made.checkNames(made.expression.getAST());
      return made;
    } catch (ParseException wrong) {
      throw method.refused(
          "has "
              + shown
              + ", which is not a valid expression (valid: #name, #p0.size()): "
              + wrong.getMessage());
    }
  }

  /** SpEL takes a bare word for a property of the call, as it would the name of a parameter. */
  private void checkHeads(SpelNode node) {
    if (node instanceof PropertyOrFieldReference property
        && BeanUtils.getPropertyDescriptor(CallRoot.class, property.getName()) == null) {
      String name = property.getName();
      throw refused("write #" + name + " for a parameter, or '" + name + "' for the text");
    }
    for (int i = 0; i < node.getChildCount(); i++) {
      if (isOfCall(node, i)) {
        checkHeads(node.getChild(i));
      }
    }
  }

  /** Other words are properties of a value before them, elements of a list, or keys of a map. */
  private static boolean isOfCall(SpelNode parent, int child) {
    if (parent instanceof CompoundExpression) {
      return child == 0 || parent.getChild(child) instanceof MethodReference; // for its arguments
    }
    if (parent instanceof InlineMap) {
      return child % 2 == 1;
    }
    return !(parent instanceof Indexer
        || parent instanceof Projection
        || parent instanceof Selection);
  }

  private void checkNames(SpelNode node) {
    if (node instanceof VariableReference || node instanceof FunctionReference) {
      String name = node.toStringAST().replaceFirst("[(].*", "");
      if (!name.equals("#root") && !name.equals("#this") && typeOf(name) == null) {
        throw refused(name + " is not a parameter: use " + known());
      }
    }
    for (int i = 0; i < node.getChildCount(); i++) {
      checkNames(node.getChild(i));
    }
  }

  private String known() {
    String[] names = ThrottledMethod.NAMES.getParameterNames(method.named());
    return names == null
        ? "#p0 and so on, as the class was compiled without -parameters"
        : Arrays.stream(names).map(name -> '#' + name).toList().toString();
  }

  /** Returns the type of a parameter, null if there is none of that name. */
  private @Nullable Class<?> typeOf(String name) {
    Class<?>[] types = method.named().getParameterTypes();
    String[] names = ThrottledMethod.NAMES.getParameterNames(method.named());
    for (int i = 0; i < types.length; i++) {
      boolean isNamed = names != null && name.equals('#' + names[i]);
      if (isNamed || name.equals("#p" + i) || name.equals("#a" + i)) {
        return types[i];
      }
    }
    return null;
  }

  String text() {
    return expression.getExpressionString();
  }

  /** Returns whether it is a parameter that is a number. Of others no type is known. */
  boolean isNumber() {
    Class<?> type = typeOf(text());
    return type != null
        && Number.class.isAssignableFrom(ClassUtils.resolvePrimitiveIfNecessary(type));
  }

  /** Returns the failure of a start. */
  IllegalStateException refused(String why) {
    return method.refused("has " + shown + ": " + why);
  }

  /**
   * Returns the value for a call.
   *
   * @throws IllegalArgumentException if it cannot be had
   */
  <T> @Nullable T value(MethodInvocation call, Class<T> type) {
    var context =
        new MethodBasedEvaluationContext(
            new CallRoot(call), method.named(), call.getArguments(), ThrottledMethod.NAMES);
    context.setBeanResolver(beans);
    context.setTypeLocator(types);
    try {
      return expression.getValue(context, type);
    } catch (RuntimeException failure) {
      throw wrong("fails: " + failure.getMessage(), failure);
    }
  }

  /** Returns the failure of a call. */
  IllegalArgumentException wrong(String why, @Nullable Throwable cause) {
    return new IllegalArgumentException(method.told("was called, but " + shown + " " + why), cause);
  }
}
