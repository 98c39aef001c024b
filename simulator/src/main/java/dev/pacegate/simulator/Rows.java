package dev.pacegate.simulator;

/**
 * The heights at which a drawing shows what, from top to bottom.
 *
 * @param top where lines of the axis begin
 * @param showsAsked whether there is a row of what was asked for
 * @param asked when requests were asked for
 * @param started when they started
 * @param counted when the peer counted them
 * @param box what the peer makes of them
 * @param bottom where it ends
 */
record Rows(
    double top,
    boolean showsAsked,
    double asked,
    double started,
    double counted,
    double box,
    double bottom) {

  private static final int BOX_HEIGHT = 36;
  private static final int GAUGE_HEIGHT = 64;

  /** Returns rows for every request by itself. */
  static Rows ofRequests(double top, boolean showsAsked, boolean gauge) {
    double started = top + (showsAsked ? 62 : 22);
    return below(top, showsAsked, top + 22, started, started + 128, gauge);
  }

  /** Returns rows with room for bars above the last two of requests. */
  static Rows ofBars(double top, boolean gauge) {
    return below(top, false, top, top + 70, top + 70 + 92, gauge);
  }

  private static Rows below(
      double top, boolean showsAsked, double asked, double started, double counted, boolean gauge) {
    double box = counted + 20;
    double bottom = box + (gauge ? GAUGE_HEIGHT : BOX_HEIGHT) + 14;
    return new Rows(top, showsAsked, asked, started, counted, box, bottom);
  }

  double boxHeight() {
    return bottom - 14 - box;
  }
}
