package dev.pacegate.limiter;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.source.LocalSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Limiters on virtual time, in each form in which a program has them: a suite runs once for each,
 * as what it says of limiters holds whatever else a limiter does.
 */
@ParameterizedClass
@EnumSource(LimiterForm.class)
public abstract class LimitersInEachForm extends LimitersOnManualTime {

  private static final Duration PAUSE = Duration.ofSeconds(1);

  @Parameter
  @SuppressWarnings("NullAway.Init") // JUnit sets it
  protected LimiterForm form;

  @TempDir private Path folder;
  private final List<Limiter> files = new ArrayList<>();

  @AfterEach
  void releaseFiles() {
    files.forEach(Limiter::close);
  }

  @Override
  protected Limiter limiter(String limit) {
    return limiter(limit, builder -> builder);
  }

  protected Limiter limiter(String limit, UnaryOperator<Limiter.Builder> options) {
    return switch (form) {
      case PLAIN -> builder(limit, options).build();
      case STATE_FILE -> withFile(builder(limit, options));
      case SOURCE -> builder(limit, options).source(new LocalSource()).build();
      case FEEDBACK -> refusedOnce(builder(limit, options).build());
      case KEY -> key(limit, builder("unlimited", options).build());
      case CHANGED -> changed(builder("unlimited", options).build(), limit);
    };
  }

  /** Leaves out what a documented rule says of one form alone. */
  protected final void exceptFor(LimiterForm other, String rule) {
    assumeTrue(form != other, rule);
  }

  private Limiter.Builder builder(String limit, UnaryOperator<Limiter.Builder> options) {
    return options.apply(Limiter.builder(limit).time(time).executor(Runnable::run));
  }

  private Limiter withFile(Limiter.Builder builder) {
    Limiter limiter = builder.state(folder.resolve("state-" + files.size())).build();
    files.add(limiter);
    return limiter;
  }

  private Limiter refusedOnce(Limiter limiter) {
    limiter.peerRefused(PAUSE);
    time.advance(PAUSE);
    return limiter;
  }

  private static Limiter key(String limit, Limiter all) {
    return KeyedLimiter.builder(limit).within(all).<String>build().limiter("key");
  }

  private static Limiter changed(Limiter limiter, String limit) {
    limiter.setLimit(limit);
    return limiter;
  }
}
