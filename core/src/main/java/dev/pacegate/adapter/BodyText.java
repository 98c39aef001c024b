package dev.pacegate.adapter;

import dev.pacegate.limit.Cost;
import java.nio.ByteBuffer;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * What the body of a response says about its cost: the data of its server-sent events, or else the
 * body as one text. One thread at a time brings the bytes; any thread may ask.
 */
final class BodyText {

  /** The longest event that is read, in bytes, or body that is no stream of events. */
  static final int MOST_BYTES = 1024 * 1024;

  /** By this many providers say that a stream is complete. */
  private static final String DONE = "[DONE]";

  private static final byte GZIP_BEGINS = 0x1f; // no text begins so

  private final BiFunction<String, Cost, Cost> reading; // returns the cost so far, corrected
  private final @Nullable EventReader events; // null if the body is one text
  private final BoundedBytes whole = new BoundedBytes(MOST_BYTES);
  private @Nullable GzipReader gzip; // null if the body is not compressed
  private boolean begun;
  private final Cost charged;
  private volatile Cost cost;
  private volatile boolean isDone; // as the peer has said
  private volatile boolean isDecoded; // to its end

  private BodyText(BodyHeaders headers, Cost charged, BiFunction<String, Cost, Cost> reading) {
    this.reading = reading;
    this.charged = charged;
    this.cost = charged;
    this.gzip = headers.isGzip() ? new GzipReader(this::decoded) : null;
    this.events = headers.isServerSentEvents() ? new EventReader(MOST_BYTES, this::event) : null;
  }

  /** Returns the text of a body, as its headers describe it; null if it cannot be read. */
  static @Nullable BodyText of(
      BodyHeaders headers, Cost charged, BiFunction<String, Cost, Cost> reading) {
    boolean isReadable = headers.isPlain() || headers.isGzip();
    return isReadable ? new BodyText(headers, charged, reading) : null;
  }

  /** Whether only the bytes tell where the stream of events ends: decoders stop before it. */
  static boolean tellsTheEnd(BodyHeaders headers) {
    return headers.isServerSentEvents() && headers.isGzip();
  }

  /** Reads a part of the body, whose position stays as it is. */
  void read(ByteBuffer part) {
    if (!begun && part.hasRemaining()) {
      begun = true;
      if (part.get(part.position()) != GZIP_BEGINS) {
        gzip = null; // some clients decode a body and leave its headers
      }
    }
    GzipReader decoder = gzip;
    if (decoder != null) {
      decoder.read(part);
      isDecoded = decoder.isComplete();
    } else {
      decoded(part);
    }
  }

  private void decoded(ByteBuffer part) {
    EventReader reader = events;
    for (int i = part.position(); i < part.limit(); i++) {
      if (reader != null) {
        reader.read(part.get(i));
      } else {
        whole.add(part.get(i));
      }
    }
  }

  private void event(String data) {
    if (data.equals(DONE)) {
      isDone = true;
    } else {
      cost = reading.apply(data, cost);
    }
  }

  /** Whether nothing more comes, so that the end need not be read: decoders do not read it. */
  boolean isComplete() {
    return isDone || isDecoded;
  }

  /** The whole body has been read. Returns the corrected cost; null if the body tells nothing. */
  @Nullable Cost end() {
    if (events == null && !whole.isEmpty() && !whole.isCut()) {
      cost = reading.apply(whole.text(), cost);
    }
    Cost told = cost;
    return told.equals(charged) ? null : told;
  }
}
