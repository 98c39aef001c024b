package dev.pacegate.context;

import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import io.micrometer.context.integration.Slf4jThreadLocalAccessor;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Three kinds of thread-locals: the MDC of the log, a holder as those of security frameworks, and a
 * plain one. Micrometer's registry knows all.
 */
final class ThreadContexts {

  private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

  /** As a security framework has it: what the thread-local holds is an object of its own. */
  private record User(String name) {
    private static final ThreadLocal<@Nullable User> HOLDER = new ThreadLocal<>();
  }

  private static final class UserAccessor implements ThreadLocalAccessor<User> {
    @Override
    public Object key() {
      return "user";
    }

    @Override
    public @Nullable User getValue() {
      return User.HOLDER.get();
    }

    @Override
    public void setValue(User user) {
      User.HOLDER.set(user);
    }

    @Override
    public void setValue() {
      User.HOLDER.remove();
    }
  }

  static {
    ContextRegistry.getInstance()
        .registerThreadLocalAccessor("tenant", TENANT)
        .registerThreadLocalAccessor(new UserAccessor())
        .registerThreadLocalAccessor(new Slf4jThreadLocalAccessor());
  }

  private ThreadContexts() {}

  /** Sets all three in this thread; removes them if null. */
  static void enter(@Nullable String name) {
    if (name == null) {
      TENANT.remove();
      User.HOLDER.remove();
      MDC.clear();
    } else {
      TENANT.set(name);
      User.HOLDER.set(new User(name));
      MDC.put("request", name);
    }
  }

  /** Returns what this thread has. */
  static String here() {
    User user = User.HOLDER.get();
    return text(MDC.get("request"), user == null ? null : user.name(), TENANT.get());
  }

  /** Returns what {@link #here} returns after {@link #enter}. */
  static String of(@Nullable String name) {
    return text(name, name, name);
  }

  private static String text(
      @Nullable String mdc, @Nullable String security, @Nullable String tenant) {
    return "MDC " + mdc + ", security " + security + ", other " + tenant;
  }

  /** Returns what programs without Micrometer write. */
  static ContextPropagator inOneLine() {
    return ContextPropagator.of(MDC::getCopyOfContextMap, MDC::setContextMap, MDC::clear)
        .and(ContextPropagator.of(User.HOLDER::get, User.HOLDER::set, User.HOLDER::remove))
        .and(ContextPropagator.of(TENANT::get, TENANT::set, TENANT::remove));
  }
}
