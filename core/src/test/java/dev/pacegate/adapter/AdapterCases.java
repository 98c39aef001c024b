package dev.pacegate.adapter;

import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.net.URI;
import java.util.List;
import java.util.Map;

/** A client whose requests are targets and whose responses are a status, headers and a text. */
abstract class AdapterCases {

  /** A response, whole. */
  record Reply(int status, Map<String, List<String>> headers, String body) {

    static Reply of(int status, String body) {
      return new Reply(status, Map.of(), body);
    }

    Reply with(String header, String value) {
      return new Reply(status, Map.of(header, List.of(value)), body);
    }

    boolean isFull() {
      return body.contains("10006");
    }

    PeerAnswer judged() {
      return isFull() ? PeerAnswer.of(PeerVerdict.REFUSED) : PeerAnswer.NOTHING;
    }
  }

  /** GET, unless the path names another method. */
  private static final class Messages implements MessageReader<URI, Reply> {

    @Override
    public String host(URI request) {
      return HostKey.of(request);
    }

    @Override
    public String method(URI request) {
      return request.getPath().equals("/post") ? "POST" : "GET";
    }

    @Override
    public boolean isRepeatable(URI request) {
      return !request.getPath().equals("/stream");
    }

    @Override
    public int status(Reply response) {
      return response.status();
    }

    @Override
    public Map<String, List<String>> headers(Reply response) {
      return response.headers();
    }
  }

  /** All options, and nothing of its own. */
  static final class Options extends PacingOptions<URI, Reply, Options> {

    Options() {
      super(new Messages());
    }

    RequestPacing<URI, Reply> build() {
      return pacing();
    }
  }

  /** A clock that fails once, as anything may on a machine without memory. */
  static final class FailingTime implements Time {

    private final Time time;
    private int readsLeft;

    FailingTime(Time time) {
      this.time = time;
    }

    /** The {@code reads}-th reading from now on throws. */
    void failAt(int reads) {
      readsLeft = reads;
    }

    @Override
    public long nanoTime() {
      if (readsLeft > 0 && --readsLeft == 0) {
        throw new IllegalStateException("the clock fails");
      }
      return time.nanoTime();
    }

    @Override
    public Scheduled at(long instant, Runnable action) {
      return time.at(instant, action);
    }
  }

  static final URI TARGET = URI.create("http://peer/");

  final ManualTime time = ManualTime.manual();

  final Limiter limiter = limiter("peer(1000/1h)");

  Limiter limiter(String limit) {
    return limiter(limit, time);
  }

  static Limiter limiter(String limit, Time time) {
    return Limiter.builder(limit).name("api").time(time).executor(Runnable::run).build();
  }

  Options options() {
    return new Options().limiter(limiter);
  }

  static PacedRequest<Reply> take(Options options) throws Exception {
    return options.build().newCall().acquire(TARGET);
  }
}
