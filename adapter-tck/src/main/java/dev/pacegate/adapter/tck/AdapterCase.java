package dev.pacegate.adapter.tck;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * One case that every adapter must pass. What a server causes is over when the client sees it, so
 * nothing counts any later ({@code unanswered=1ms}). What the client causes may arrive later.
 */
enum AdapterCase {
  REDIRECTS("redirects", "peer(5/100ms, unanswered=1ms)", "5/100ms", ClientFeature.REDIRECTS) {
    @Override
    void run(CaseRun run) {
      int good = run.sendAll(12, "/redirect/2");
      follows(run, 12, good == 12);
    }
  },

  AUTHENTICATION(
      "authentication", "peer(5/100ms, unanswered=1ms)", "5/100ms", ClientFeature.AUTHENTICATION) {
    @Override
    void run(CaseRun run) {
      int good = run.sendAll(12, "/private");
      follows(run, 12, good == 12);
    }
  },

  CONNECTION_RETRIES(
      "retries of the client after a closed connection",
      "peer(5/100ms, unanswered=1ms)",
      "5/100ms",
      ClientFeature.CONNECTION_RETRIES) {
    @Override
    void run(CaseRun run) {
      run.sendAll(16, 4, run.peer.http1("/stale"), CaseRun.LONG);
      follows(run, 16, true);
    }
  },

  STATUS_RETRIES(
      "retries of the client after a 503",
      "peer(5/100ms, unanswered=1ms)",
      "5/100ms",
      ClientFeature.STATUS_RETRIES) {
    @Override
    void run(CaseRun run) {
      run.sendAll(12, "/busy");
      follows(run, 12, true);
    }
  },

  TIME_OUTS("time-outs", "peer(20/100ms, unanswered=1h)", "20/100ms", null) {
    @Override
    void run(CaseRun run) {
      run.sendAll(1, "/ok"); // loads classes, which may take longer than the time-out
      int answered = run.sendAll(6, 6, run.peer.http1("/stall"), Duration.ofMillis(200));
      run.require(answered == 0, "a request that timed out was answered");
      int stalled = run.peer.arrivals() - 1;
      run.require(run.becomes(() -> run.limiter.snapshot().lost() >= stalled), LOST);
      run.sendAll(24, "/ok");
    }
  },

  CANCELLED_CALLS(
      "cancelled calls", "peer(100/1h, unanswered=1h) & concurrent(1)", "concurrent(1)", null) {
    @Override
    void run(CaseRun run) {
      ClientCall first = run.get("/stall");
      Future<Integer> stalled = run.begin(first);
      run.require(run.becomes(() -> run.peer.arrivals() == 1), "the first request did not arrive");
      ClientCall second = run.get("/ok");
      Future<Integer> waiting = run.begin(second);
      run.require(
          run.becomes(() -> run.limiter.snapshot().waiting() == 1), "a second call did not wait");
      second.cancel();
      run.require(run.ends(waiting), "a cancelled call kept waiting for a permit");
      run.require(run.limiter.snapshot().granted() == 1, "a cancelled wait took a permit");
      first.cancel();
      run.require(run.ends(stalled), "a cancelled request did not end");
      run.require(run.becomes(() -> run.limiter.snapshot().lost() >= 1), LOST);
      run.require(run.sendAll(1, "/ok") == 1, "no permit was free after a cancelled call");
    }
  },

  REFUSALS("429 with `Retry-After: 1`", "peer(5/100ms, unanswered=1ms)", "5/100ms", null) {
    @Override
    void run(CaseRun run) {
      run.sendAll(1, "/limited");
      run.sendAll(1, "/limited");
      List<Seen> seen = run.peer.seen();
      long pause = seen.size() < 2 ? 0 : seen.get(1).arrived - seen.get(0).ended();
      run.require(pause >= Duration.ofSeconds(1).toNanos(), "a refusal did not pause the limiter");
      run.require(
          run.becomes(() -> run.limiter.snapshot().refusedByPeer() == 1),
          "a refusal was not reported to the limiter");
    }
  },

  NO_CONNECTION("refused connections", "peer(3/1h, unanswered=1h)", "3/1h", null) {
    @Override
    void run(CaseRun run) throws Exception {
      int answered;
      try (var bound =
          new Socket()) { // so that no other process takes the port; it does not listen
        bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        var nowhere = URI.create("http://localhost:" + bound.getLocalPort() + "/");
        answered = run.sendAll(3, 1, nowhere, CaseRun.LONG);
      }
      run.require(answered == 0, "a request without a connection was answered");
      run.require(
          run.becomes(() -> run.limiter.estimateWait(3).isZero()),
          "a request that was never sent was charged");
    }
  },

  CUT_BODIES("cut bodies", "peer(5/100ms, unanswered=1ms)", "5/100ms", null) {
    @Override
    void run(CaseRun run) {
      int whole = run.sendAll(8, "/cut"); // some clients do not notice
      int cut = run.peer.arrivals() - whole;
      run.require(run.becomes(() -> run.limiter.snapshot().lost() >= cut), LOST);
    }
  },

  SLOW_BODIES("slow bodies", "peer(10/100ms) & concurrent(2)", "concurrent(2)", null) {
    @Override
    void run(CaseRun run) {
      int good = run.sendAll(8, "/slow");
      run.require(good == 8, "a call failed");
    }
  },

  HTTP_2("HTTP/2", "peer(5/100ms, unanswered=1ms)", "5/100ms", ClientFeature.HTTP_2) {
    @Override
    void run(CaseRun run) {
      run.sendAll(12, 8, run.peer.http2(false), CaseRun.LONG);
      int least = run.features.contains(ClientFeature.REDIRECTS) ? 13 : 12;
      run.require(run.peer.arrivals() >= least, "few requests arrived over HTTP/2");
    }
  },

  STORM("all of it at random", "peer(40/100ms, unanswered=3s)", "40/100ms", null) {
    @Override
    void run(CaseRun run) {
      storm(run, run.peer.http1("/storm"));
    }
  },

  HTTP_2_STORM(
      "all of it at random, over HTTP/2",
      "peer(40/100ms, unanswered=3s)",
      "40/100ms",
      ClientFeature.HTTP_2) {
    @Override
    void run(CaseRun run) {
      storm(run, run.peer.http2(true));
    }
  };

  private static final String LOST = "a request that may have been counted was not lost";
  private static final int CALLS_IN_STORM = 60;
  private static final int MOST_ROUNDS = 20;

  final String title;
  final String limit;

  /** The limit that is counted at single instants, or by what is open. */
  final String counted;

  /** The feature that this case is about; null if there is none. */
  final @Nullable ClientFeature feature;

  final HttpVersion version;

  AdapterCase(String title, String limit, String counted, @Nullable ClientFeature feature) {
    this.title = title;
    this.limit = limit;
    this.counted = counted;
    this.feature = feature;
    this.version = feature == ClientFeature.HTTP_2 ? HttpVersion.HTTP_2 : HttpVersion.HTTP_1_1;
  }

  abstract void run(CaseRun run) throws Exception;

  /** An adapter of a client that sends nothing more than the calls would pass. */
  void follows(CaseRun run, int calls, boolean good) {
    run.require(
        !run.features.contains(feature) || (good && run.peer.arrivals() > calls),
        "the client does not have the feature " + feature + ": turn it on, or leave it out");
  }

  // Time-outs are short: a machine that has other work may need several rounds until enough arrive.
  static void storm(CaseRun run, URI target) {
    int enough = CALLS_IN_STORM / 3;
    for (int round = 0; round < MOST_ROUNDS && run.peer.arrivals() <= enough; round++) {
      run.sendAll(stormOfCalls(run, target), 12);
    }
    run.require(run.peer.arrivals() > enough, "few requests arrived");
  }

  private static List<ClientCall> stormOfCalls(CaseRun run, URI target) {
    var calls = new ArrayList<ClientCall>();
    for (int i = 0; i < CALLS_IN_STORM; i++) {
      String method = run.random.nextInt(3) == 0 ? "POST" : "GET";
      var timeout = Duration.ofMillis(50 + run.random.nextInt(200));
      ClientCall call = run.client.newCall(method, target, timeout);
      if (run.random.nextInt(5) == 0) {
        run.cancelLater(call, run.random.nextInt(1_000));
      }
      calls.add(call);
    }
    return calls;
  }
}
