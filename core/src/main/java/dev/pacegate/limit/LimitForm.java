package dev.pacegate.limit;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * How one kind of limit is written, for documentation.
 *
 * @param syntax its form, such as {@code bucket(M/I, ...)}
 * @param example a limit of this kind
 * @param options the options it takes
 */
public record LimitForm(String syntax, String example, List<Option> options) {

  /** Copies the options, and checks that no component is null. */
  public LimitForm {
    requireNonNull(syntax);
    requireNonNull(example);
    options = List.copyOf(options);
  }

  /**
   * An option of a limit.
   *
   * @param name the option's name
   * @param meaning what it means
   * @param usual its default
   * @param range which values are allowed
   */
  public record Option(String name, String meaning, String usual, String range) {

    /** Checks that no component is null. */
    public Option {
      requireNonNull(name);
      requireNonNull(meaning);
      requireNonNull(usual);
      requireNonNull(range);
    }
  }
}
