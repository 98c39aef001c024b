package dev.pacegate.adapter;

import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Reads a stream of server-sent events as the HTML standard interprets one, and hands on the data
 * of each. It keeps one event at a time, and skips those whose data, or a line of it, is longer
 * than a bound. As in the standard, an event without the empty line at its end is none.
 */
final class EventReader {

  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
  private static final byte[] DATA = "data".getBytes(StandardCharsets.US_ASCII);

  private final Consumer<String> events;
  private final BoundedBytes line;
  private final BoundedBytes data;
  private boolean hasData;
  private boolean begun; // the first line is over
  private boolean afterReturn; // a line feed now belongs to the carriage return before

  EventReader(int most, Consumer<String> events) {
    this.events = events;
    this.line = new BoundedBytes(most);
    this.data = new BoundedBytes(most);
  }

  void read(byte next) {
    boolean ended = afterReturn && next == '\n';
    afterReturn = next == '\r';
    if (ended) {
      return;
    }
    if (next == '\n' || next == '\r') {
      endLine(!begun && line.startsWith(BYTE_ORDER_MARK, 0) ? BYTE_ORDER_MARK.length : 0);
      begun = true;
      line.clear();
    } else {
      line.add(next);
    }
  }

  private void endLine(int from) {
    if (line.size() == from) {
      endEvent();
    } else if (line.startsWith(DATA, from)) {
      endField(from + DATA.length);
    }
  }

  /** The name may be longer, and the value may be missing. */
  private void endField(int end) {
    if (end < line.size() && line.at(end) != ':') {
      return;
    }
    if (hasData) {
      data.add((byte) '\n');
    }
    hasData = true;
    int value = end + 1;
    data.add(line, value < line.size() && line.at(value) == ' ' ? value + 1 : value);
  }

  private void endEvent() {
    if (hasData && !data.isCut()) {
      events.accept(data.text());
    }
    hasData = false;
    data.clear();
  }
}
