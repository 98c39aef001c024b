package dev.pacegate.limit;

import java.util.List;

/**
 * How one kind of limit is written, as documentation shows it.
 *
 * @param syntax its form, such as {@code bucket(M/I, ...)}
 * @param example a limit of this kind
 * @param options the options it takes
 */
public record LimitForm(String syntax, String example, List<Option> options) {

  /** Copies the options. */
  public LimitForm {
    options = List.copyOf(options);
  }

  /**
   * An option of limits.
   *
   * @param name how it is written
   * @param meaning what it means
   * @param usual what holds if it is not given
   * @param range what may be given
   */
  public record Option(String name, String meaning, String usual, String range) {}
}
