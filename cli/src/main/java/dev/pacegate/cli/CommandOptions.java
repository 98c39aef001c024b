package dev.pacegate.cli;

import dev.pacegate.time.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Stack;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.IGetter;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * Declares options and parameters of a command by calls. Annotations would be shorter, but to read
 * them takes longer than everything else that a short {@code pipe} or {@code run} does.
 *
 * <p>Names are separated by a comma and a blank: {@code "-q, --quiet"}.
 */
final class CommandOptions {

  private final CommandSpec spec;

  CommandOptions(CommandSpec spec) {
    this.spec = spec;
  }

  /** Returns a command without options, which runs {@code action}. */
  static CommandSpec command(Object action, String name, String description, String... footer) {
    CommandSpec spec = CommandSpec.wrapWithoutInspection(action).name(name);
    spec.usageMessage().description(description).footer(footer);
    return spec;
  }

  /** Adds options that several commands have. */
  CommandOptions group(OptionGroup group) {
    group.addTo(this);
    return this;
  }

  /** Adds {@code --help} and {@code --version}. */
  static void addHelp(CommandSpec spec) {
    spec.addOption(
        OptionSpec.builder("-h", "--help")
            .type(boolean.class)
            .usageHelp(true)
            .description("Show this help message and exit.")
            .build());
    spec.addOption(
        OptionSpec.builder("-V", "--version")
            .type(boolean.class)
            .versionHelp(true)
            .description("Print version information and exit.")
            .build());
    spec.versionProvider(new Main.Version());
  }

  /** Adds an option that takes no value. */
  CommandOptions flag(String names, String description, Consumer<Boolean> sink) {
    return add(option(names, description).type(boolean.class), sink);
  }

  /** Adds an option that takes a text. */
  CommandOptions text(String names, String label, String description, Consumer<String> sink) {
    return add(option(names, description).paramLabel(label).type(String.class), sink);
  }

  /** As {@link #text}, of an option that must be given. */
  CommandOptions required(String names, String label, String description, Consumer<String> sink) {
    return add(
        option(names, description).paramLabel(label).type(String.class).required(true), sink);
  }

  /**
   * Adds an option that takes a text only behind the sign {@code =}: an argument after it is a
   * parameter.
   *
   * @param otherwise the text if none is given
   */
  CommandOptions attached(
      String names, String label, String description, String otherwise, Consumer<String> sink) {
    return add(
        option(names, description)
            .paramLabel(label)
            .type(String.class)
            .arity("0..1")
            .fallbackValue(otherwise)
            .preprocessor(new OnlyAttached(otherwise)),
        sink);
  }

  /** Adds an option that takes a whole number. */
  CommandOptions number(String names, String label, String description, Consumer<Integer> sink) {
    return add(option(names, description).paramLabel(label).type(int.class), sink);
  }

  /** Adds an option that takes a duration. */
  CommandOptions span(String names, String label, String description, Consumer<Duration> sink) {
    return value(names, label, description, Duration.class, new Span(), sink);
  }

  /** Adds an option whose text is converted, by picocli itself if there is no converter. */
  <T> CommandOptions value(
      String names,
      String label,
      String description,
      Class<T> type,
      @Nullable ITypeConverter<T> converter,
      Consumer<T> sink) {
    OptionSpec.Builder option = option(names, description).paramLabel(label).type(type);
    return add(converter == null ? option : option.converters(converter), sink);
  }

  /** Adds an option that may be given several times. */
  CommandOptions texts(
      String names, String label, String description, Consumer<List<String>> sink) {
    return add(several(names, label, description, List.class, String.class), sink);
  }

  /** As {@link #texts}, several of which may be given at once with commas. */
  CommandOptions textsWithCommas(
      String names, String label, String description, Consumer<List<String>> sink) {
    return add(several(names, label, description, List.class, String.class).splitRegex(","), sink);
  }

  /** Adds an option that takes whole numbers, several with commas. */
  CommandOptions numbersWithCommas(
      String names, String label, String description, Consumer<Set<Integer>> sink) {
    return add(several(names, label, description, Set.class, Integer.class).splitRegex(","), sink);
  }

  /** Adds a parameter that may be left out. */
  CommandOptions parameter(int index, String label, String description, Consumer<String> sink) {
    return add(
        parameter(Integer.toString(index), label, description).arity("0..1").type(String.class),
        sink);
  }

  /** Adds a parameter that must be given. */
  CommandOptions required(int index, String label, String description, Consumer<String> sink) {
    return add(
        parameter(Integer.toString(index), label, description).required(true).type(String.class),
        sink);
  }

  /** Adds all parameters from an index on. */
  CommandOptions parametersFrom(
      int index, String label, String description, Consumer<List<String>> sink) {
    return add(
        parameter(index + "..*", label, description)
            .arity("0..*")
            .type(List.class)
            .auxiliaryTypes(String.class),
        sink);
  }

  /**
   * Adds all parameters, which must be given.
   *
   * @param arity how many there are, such as {@code 1..2}
   * @param label which says so, too
   */
  CommandOptions parameters(
      String arity, String label, String description, Consumer<List<String>> sink) {
    return add(
        parameter("0..*", label, description)
            .arity(arity)
            .required(true)
            .hideParamSyntax(true)
            .type(List.class)
            .auxiliaryTypes(String.class),
        sink);
  }

  private static OptionSpec.Builder option(String names, String description) {
    return OptionSpec.builder(names.split(", ")).description(description);
  }

  private static OptionSpec.Builder several(
      String names, String label, String description, Class<?> type, Class<?> of) {
    return option(names, description).paramLabel(label).type(type).auxiliaryTypes(of);
  }

  private static PositionalParamSpec.Builder parameter(
      String index, String label, String description) {
    return PositionalParamSpec.builder().index(index).paramLabel(label).description(description);
  }

  private CommandOptions add(OptionSpec.Builder option, Consumer<?> sink) {
    var binding = new Binding<>(sink);
    spec.addOption(option.hasInitialValue(false).getter(binding).setter(binding).build());
    return this;
  }

  private CommandOptions add(PositionalParamSpec.Builder parameter, Consumer<?> sink) {
    var binding = new Binding<>(sink);
    spec.addPositional(parameter.hasInitialValue(false).getter(binding).setter(binding).build());
    return this;
  }

  /** Parses a duration. */
  static final class Span implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      try {
        return Durations.parse(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }

  /** Takes no argument after an option for its value. */
  private record OnlyAttached(String otherwise) implements IParameterPreprocessor {
    @Override
    @SuppressWarnings("JdkObsolete") // picocli passes a Stack
    public boolean preprocess(
        Stack<String> left, CommandSpec spec, ArgSpec argument, Map<String, Object> info) {
      if (!"=".equals(info.get("separator"))) {
        left.push(otherwise);
      }
      return false;
    }
  }

  /** Passes on each value that picocli sets, which wants to read again what it has set. */
  private static final class Binding<V> implements IGetter, ISetter {

    private final Consumer<V> sink;
    private @Nullable Object value;

    Binding(Consumer<V> sink) {
      this.sink = sink;
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway", "TypeParameterUnusedInFormals"}) // as picocli says
    public <T> T get() {
      return (T) value;
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"})
    public <T> T set(T next) {
      T previous = (T) value;
      value = next;
      sink.accept((V) next);
      return previous;
    }
  }
}
