package dev.pacegate.proxy;

import dev.pacegate.Share;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The class of requests: interactive ones go first, those of a batch take every tenth turn while
 * both wait. So a batch is slow but never stands still.
 *
 * @param header the header that names the class of each request; null if it is the same for all
 * @param always the class if no header names another
 */
record RouteClass(@Nullable String header, String always) {

  static final String INTERACTIVE = "interactive";
  static final String BATCH = "batch";
  static final Share SHARE_OF_INTERACTIVE = Share.weight(9);
  static final Share SHARE_OF_BATCH = Share.weight(1);

  static final RouteClass STANDARD = new RouteClass(null, INTERACTIVE);

  private static final List<String> NAMES = List.of(INTERACTIVE, BATCH);

  static RouteClass read(ConfigNode node) {
    String text = node.text("class");
    if (HeaderValue.isOne(text)) {
      return new RouteClass(HeaderValue.nameIn(node, "class"), INTERACTIVE);
    }
    if (!NAMES.contains(text)) {
      throw node.wrong(
          "class must be interactive, batch or header:NAME" + Spelling.advice(text, NAMES));
    }
    return new RouteClass(null, text);
  }

  /** Returns the class of a request: what its header does not name right is interactive. */
  String of(HttpServerRequest request) {
    return header != null && BATCH.equalsIgnoreCase(request.getHeader(header)) ? BATCH : always;
  }

  String text() {
    return header != null
        ? ", class by " + header
        : always.equals(INTERACTIVE) ? "" : ", class " + always;
  }
}
