package dev.pacegate.proxy;

/** How long a body may take that is read before there is a permit. Confined to the event loop. */
final class BodyWatch {

  private final Silence parts;
  private final Silence whole; // never interrupted

  BodyWatch(Way way, Runnable late) {
    this.parts = new Silence(way.sweep(), way.settings().body(), late);
    this.whole = new Silence(way.sweep(), way.settings().bodyInAll(), late);
    parts.begin();
    whole.begin();
  }

  /** Some of it has come. */
  void arrived() {
    parts.interrupt();
  }

  void end() {
    parts.end();
    whole.end();
  }
}
