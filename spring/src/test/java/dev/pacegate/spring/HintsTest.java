package dev.pacegate.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** A native image has what is found by name. */
class HintsTest {

  private static RuntimeHints hints(ClassLoader loader) {
    var hints = new RuntimeHints();
    new PacegateHints().registerHints(hints, loader);
    return hints;
  }

  @Test
  void itHasTheScriptsOfTheStore() throws Exception {
    RuntimeHints hints = hints(getClass().getClassLoader());
    Resource[] scripts =
        new PathMatchingResourcePatternResolver()
            .getResources("classpath*:dev/pacegate/redis/*.lua");
    assertThat(scripts).hasSizeGreaterThan(5);
    assertThat(Arrays.stream(scripts).map(Resource::getFilename))
        .allSatisfy(
            script ->
                assertThat(
                        RuntimeHintsPredicates.resource()
                            .forResource("dev/pacegate/redis/" + script))
                    .accepts(hints));
  }

  @Test
  void itFindsTheModuleOfTheStoreIfThatIsThere() {
    var store =
        RuntimeHintsPredicates.reflection()
            .onType(TypeReference.of(PacegateAutoConfiguration.REDIS));
    assertThat(store).accepts(hints(getClass().getClassLoader()));
    assertThat(store).rejects(hints(new FilteredClassLoader("dev.pacegate.redis")));
  }

  /** Without a predicate of methods: Spring 6 has not that of Spring 7. */
  @Test
  void expressionsCanReadTheCall() {
    var kept = hints(getClass().getClassLoader()).reflection().getTypeHint(CallRoot.class);
    assertThat(Objects.requireNonNull(kept).getMemberCategories())
        .contains(MemberCategory.INVOKE_PUBLIC_METHODS);
  }
}
