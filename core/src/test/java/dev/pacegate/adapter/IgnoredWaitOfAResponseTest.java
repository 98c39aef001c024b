package dev.pacegate.adapter;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A wait that a response states either pauses the limiter or is logged as having no effect. */
class IgnoredWaitOfAResponseTest extends AdapterCases {

  private static final Reply TOO_LARGE = Reply.of(413, "10006").with("Retry-After", "30");

  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Logger logger = Logger.getLogger("dev.pacegate.feedback");
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          lines.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  private static final AtomicInteger LIMITERS = new AtomicInteger();

  /** Each limiter is told of by its name, in this process once. */
  private final Limiter own =
      Limiter.builder("peer(1000/1h)")
          .name("refuser" + LIMITERS.incrementAndGet())
          .time(time)
          .build();

  @BeforeEach
  void listen() {
    logger.addHandler(handler);
  }

  @AfterEach
  void stop() {
    logger.removeHandler(handler);
  }

  private void receive(Options options) throws Exception {
    PacedRequest<Reply> request = take(options.limiter(own));
    request.headers(413, TOO_LARGE.headers());
    request.received(TOO_LARGE);
    request.bodyEnded();
  }

  private long logged() {
    return lines.stream()
        .filter(line -> line.contains("status 413 asks for a wait of 30s"))
        .count();
  }

  @Test
  void aWaitOfAStatusThatIsNoRefusalIsLoggedOnce() throws Exception {
    receive(new Options());
    receive(new Options());
    assertEquals(ZERO, own.estimateWait(1));
    assertEquals(1, logged());
  }

  @Test
  void aWaitOfAResponseThatAFunctionRefusesPausesAndIsNotLogged() throws Exception {
    receive(new Options().refused(Reply::judged));
    assertEquals(ofSeconds(30), own.estimateWait(1));
    assertEquals(1, own.snapshot().refusedByPeer());
    assertEquals(0, logged());
  }
}
