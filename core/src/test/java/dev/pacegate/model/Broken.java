package dev.pacegate.model;

/** Thrown by a step, or by a look at a state, in which a property does not hold. */
final class Broken extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Property property;
  private final String what;

  Broken(Property property, String what) {
    super(what, null, false, false);
    this.property = property;
    this.what = what;
  }

  Property property() {
    return property;
  }

  String what() {
    return what;
  }
}
