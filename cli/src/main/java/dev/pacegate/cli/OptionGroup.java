package dev.pacegate.cli;

/** Options that several commands have. */
@FunctionalInterface
interface OptionGroup {

  void addTo(CommandOptions options);
}
