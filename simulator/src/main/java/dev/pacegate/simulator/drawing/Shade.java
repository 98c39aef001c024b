package dev.pacegate.simulator.drawing;

/**
 * The colours of drawings, on light and on dark paper. Blue and orange carry the verdict, for they
 * differ to colour-blind eyes too.
 */
enum Shade {
  PAPER("#ffffff", "#0d1117"),
  INK("#1f2328", "#e6edf3"),
  SOFT("#59636e", "#9aa4af"),
  FAINT("#d1d9e0", "#333b45"),
  PATH("#a3adb8", "#5f6873"),
  BLUE("#0969da", "#58a6ff"),
  PALE_BLUE("#ddf0ff", "#10294a"),
  ORANGE("#bc4c00", "#f0883e"),
  PALE_ORANGE("#ffeedd", "#40240d");

  final String light;
  final String dark;

  Shade(String light, String dark) {
    this.light = light;
    this.dark = dark;
  }
}
