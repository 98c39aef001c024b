package dev.pacegate.pekko;

import dev.pacegate.Limiter;
import java.time.Duration;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.testkit.javadsl.TestSink;
import org.apache.pekko.stream.testkit.javadsl.TestSource;
import org.junit.jupiter.api.Test;

class ThrottleTest extends StreamTest {

  @Test
  void holdsWhatIsNotDue() {
    Limiter limiter = limiter("bucket(1/300ms, initial=empty)");
    var probes =
        TestSource.<Integer>create(system)
            .via(Throttle.of(limiter))
            .toMat(TestSink.create(system), Keep.both())
            .run(materializer);
    var source = probes.first();
    var sink = probes.second();
    sink.request(20);
    source.sendNext(1);
    after(299);
    sink.expectNoMessage(Duration.ZERO);
    after(1);
    sink.expectNext(1);
    source.sendNext(2);
    after(150);
    sink.expectNoMessage(Duration.ZERO);
    after(150);
    sink.expectNext(2);
    source.sendComplete();
    sink.expectComplete();
    assertIdle(limiter);
  }
}
