package dev.pacegate.proxy;

import dev.pacegate.limit.Cost;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.Optional;

/** What a request costs. It is known at its head, as a permit is taken before the body is in. */
interface RouteCost {

  RouteCost ONE = new Constant(1);

  /** Returns why the cost of a request is not known; empty if it is. */
  Optional<Rejection> refusal(HttpServerRequest request);

  /** Returns the cost of a request that is not refused. */
  Cost of(HttpServerRequest request);

  /** Returns how it is shown in a list of routes; empty if it need not be. */
  String text();

  static RouteCost read(ConfigNode node) {
    String text = node.text("cost");
    if (text.equals("bytes")) {
      return new Bytes();
    } else if (HeaderValue.isOne(text)) {
      return new Stated(HeaderValue.nameIn(node, "cost"));
    } else if (!text.matches("[0-9]+")) {
      throw node.wrong("cost must be a whole number, bytes or header:NAME");
    }
    return new Constant(node.number("cost", 1));
  }

  /** The same for each request. */
  record Constant(int amount) implements RouteCost {
    @Override
    public Optional<Rejection> refusal(HttpServerRequest request) {
      return Optional.empty();
    }

    @Override
    public Cost of(HttpServerRequest request) {
      return Cost.of(amount);
    }

    @Override
    public String text() {
      return amount == 1 ? "" : ", cost " + amount;
    }
  }

  /** What a header of the request says, and 1 if there is none. */
  record Stated(String header) implements RouteCost {
    @Override
    public Optional<Rejection> refusal(HttpServerRequest request) {
      return amount(request) >= 1
          ? Optional.empty()
          : Optional.of(
              Rejection.of(400, header + " must be one whole number from 1 to 999999999"));
    }

    @Override
    public Cost of(HttpServerRequest request) {
      return Cost.of(amount(request));
    }

    /** Returns -1 if the header is no number. */
    private long amount(HttpServerRequest request) {
      var values = request.headers().getAll(header);
      if (values.isEmpty()) {
        return 1;
      }
      String value = values.get(0).strip();
      return values.size() == 1 && value.matches("[0-9]{1,9}") ? Long.parseLong(value) : -1;
    }

    @Override
    public String text() {
      return ", cost by " + header;
    }
  }

  /** The length of the body. */
  record Bytes() implements RouteCost {

    private static final String LENGTH = "Content-Length";

    @Override
    public Optional<Rejection> refusal(HttpServerRequest request) {
      MultiMap headers = request.headers();
      boolean unknown =
          headers.contains("Transfer-Encoding")
              || (request.version() == HttpVersion.HTTP_2 && !request.isEnded());
      return headers.contains(LENGTH) || !unknown
          ? Optional.empty()
          : Optional.of(
              Rejection.of(411, "the body costs what it is long: state a Content-Length"));
    }

    @Override
    public Cost of(HttpServerRequest request) {
      String length = request.getHeader(LENGTH);
      return Cost.of(length == null ? 0 : Long.parseLong(length.strip()));
    }

    @Override
    public String text() {
      return ", cost by bytes";
    }
  }
}
