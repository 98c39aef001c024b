package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A proxy whose limit is in a store that goes away while requests wait, and comes back. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("servers")
class ProxyStoreTest {

  private static final Duration SOON = Duration.ofMinutes(2);
  private static final int MANY = 15;

  @Test
  void requestsWaitForTheStoreAndGoOnceEachWhenItIsBack() throws Exception {
    try (var store = RedisServer.start(Version.V6_2);
        var upstream = new CountingUpstream();
        var proxy =
            new ProxyUnderTest(
                "peer(5/2s, unanswered=100ms)",
                "--to",
                upstream.uri(),
                "--store",
                store.uri(),
                "--name",
                "api",
                "--max-wait",
                "5m")) {
      var answers = new ArrayList<CompletableFuture<HttpResponse<String>>>();
      for (int i = 0; i < MANY; i++) {
        answers.add(proxy.send("/" + i));
      }
      Await.until("some have gone", SOON, () -> upstream.arrived() > 0);
      store.kill9();
      Await.until("it says so", SOON, () -> proxy.admin("/readyz").statusCode() == 503);
      Await.until("the others wait", SOON, () -> waiting(proxy) == MANY - upstream.arrived());
      int waiting = waiting(proxy);
      int gone = lastThatWaits(answers);
      answers.get(gone).cancel(true);
      Await.until("one has left", SOON, () -> waiting(proxy) == waiting - 1);
      store.restart();
      for (int i = 0; i < MANY; i++) {
        if (i == gone) {
          assertThrows(Exception.class, answers.get(i)::get);
        } else {
          assertEquals(200, status(answers.get(i)), "of " + i);
        }
      }
      Await.until("nothing is left", SOON, () -> proxy.isAtRest());
      assertEquals(MANY - 1, upstream.arrived(), "once each");
      upstream.assertNeverMoreThan(5, Duration.ofSeconds(2));
      assertEquals(200, proxy.admin("/readyz").statusCode());
    }
  }

  private static int waiting(ProxyUnderTest proxy) throws IOException, InterruptedException {
    return (int) proxy.figure("pacegate_permits_waiting{");
  }

  private static int lastThatWaits(List<CompletableFuture<HttpResponse<String>>> answers) {
    for (int i = answers.size() - 1; ; i--) {
      if (!answers.get(i).isDone()) {
        return i;
      }
    }
  }

  private static int status(CompletableFuture<HttpResponse<String>> answer)
      throws ExecutionException, InterruptedException {
    return answer.get().statusCode();
  }
}
