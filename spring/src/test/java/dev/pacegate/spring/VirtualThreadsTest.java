package dev.pacegate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import sample.SampleApplication;

/** An application that serves each request on a virtual thread. */
@Tag("jdk")
@EnabledForJreRange(min = JRE.JAVA_21)
@Timeout(180)
class VirtualThreadsTest {

  /** More than there are threads that could carry them. */
  private static final int CALLERS = 40 + 4 * Runtime.getRuntime().availableProcessors();

  private final HttpClient http = HttpClient.newHttpClient();

  /** Tells which thread has got the permit. */
  @RestController
  static class Who {
    @GetMapping("/thread")
    @Throttled("sms")
    public String thread() {
      return Thread.currentThread().toString();
    }
  }

  private List<CompletableFuture<HttpResponse<String>>> callAtOnce(
      ConfigurableApplicationContext application) {
    String port = application.getEnvironment().getProperty("local.server.port");
    var calls = new ArrayList<CompletableFuture<HttpResponse<String>>>();
    for (int i = 0; i < CALLERS; i++) {
      String path = i % 2 == 0 ? "/thread" : "/rest"; // by annotation, and by RestClient
      URI uri = URI.create("http://127.0.0.1:" + port + path);
      calls.add(http.sendAsync(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()));
    }
    return calls;
  }

  /** Of callers that pinned the threads below them only as many as these are could wait. */
  @Test
  void callersWaitWithoutPinning(@TempDir Path folder) throws Exception {
    try (var peer = new Peer();
        var application =
            SpringApplication.run(
                new Class<?>[] {SampleApplication.class, Security.None.class, Who.class},
                SampleTest.arguments(
                    "--spring.threads.virtual.enabled=true", "--provider=" + peer.uri("/ok")));
        var recording = new Recording()) {
      recording.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ZERO);
      recording.start();
      Limiter limiter = application.getBean(Limiter.class);
      limiter.pause();
      var calls = callAtOnce(application);
      Waiting.until(() -> limiter.snapshot().waiting() == CALLERS);
      limiter.resume();
      for (int i = 0; i < CALLERS; i++) {
        String answer = calls.get(i).get(50, TimeUnit.SECONDS).body();
        assertThat(answer).startsWith(i % 2 == 0 ? "VirtualThread[" : "answer");
      }
      Waiting.nothingIsLeft(limiter);
      assertEquals(CALLERS / 2, peer.count());
      Path file = folder.resolve("pinned.jfr");
      recording.dump(file);
      assertThat(pinnedWhileTheyWaited(file)).isEmpty();
    }
  }

  /** Classes that are loaded at their first use may pin for a moment. */
  private static List<RecordedEvent> pinnedWhileTheyWaited(Path file) throws Exception {
    assertThat(Files.size(file)).isPositive();
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> has(event, LockSupport.class.getName()) && has(event, "dev.pacegate"))
        .toList();
  }

  private static boolean has(RecordedEvent event, String type) {
    return event.getStackTrace() != null
        && event.getStackTrace().getFrames().stream()
            .anyMatch(frame -> frame.getMethod().getType().getName().startsWith(type));
  }
}
