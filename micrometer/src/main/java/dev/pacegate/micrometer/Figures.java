package dev.pacegate.micrometer;

/** What is measured. */
@FunctionalInterface
interface Figures {

  /** Adds the meters of all figures. */
  void addTo(Registration meters);
}
