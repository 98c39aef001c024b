package dev.pacegate.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** What a native image must keep, as it is found by name only. Spring finds the rest. */
final class PacegateHints implements RuntimeHintsRegistrar {

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
    hints.reflection().registerTypeIfPresent(loader, PacegateAutoConfiguration.REDIS);
    // Expressions of @Throttled read its properties.
    hints.reflection().registerType(CallRoot.class, MemberCategory.INVOKE_PUBLIC_METHODS);
    hints.resources().registerPattern("dev/pacegate/redis/*.lua");
  }
}
