package dev.pacegate.benchmarks.peers;

import dev.pacegate.benchmarks.Text;
import dev.pacegate.benchmarks.peers.PeerTrial.Outcome;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** The page about real servers. */
final class PeersText {

  private final List<Outcome> outcomes;
  private final Duration length;
  private final List<Duration> stalls;
  private final boolean quick;

  /** What a busy machine may add to a stop: threads that get no processor. */
  private final Duration lateness;

  private final Text text = new Text();

  PeersText(List<Outcome> outcomes, Duration length, List<Duration> stalls, boolean quick) {
    this.outcomes = outcomes;
    this.length = length;
    this.stalls = stalls;
    this.quick = quick;
    this.lateness = Duration.ofMillis(quick ? 500 : 200);
  }

  Text page() {
    head();
    verdicts();
    table();
    meanings();
    again();
    return text;
  }

  private void head() {
    var system = ManagementFactory.getOperatingSystemMXBean();
    text.lines(
        "# Real servers",
        "",
        "What servers that refuse clients that are too fast make of five clients: the JDK's HTTP client bare, within the",
        "`RateLimiter` of Guava and of Resilience4j, and within Pacegate's HTTP client, which heeds what answers say unless it is",
        "told not to (*without feedback*). Pacegate has a limit of the kind that [choosing a limit](../choosing.md) names for the",
        "server, with `unanswered=1s`, and for HAProxy with another burst; the other two have its rate.",
        "",
        "Made by `benchmarks/run peers`. Versions, as the programs tell them: " + versions() + ".",
        Text.format(
            "Machine: %d processors, %s %s, Java %s; load average at the end %.1f.",
            system.getAvailableProcessors(),
            system.getName(),
            system.getArch(),
            Runtime.version(),
            system.getSystemLoadAverage()),
        "",
        "![Share of its requests that the servers rejected, for each client](peers.svg)");
  }

  private String versions() {
    Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    outcomes.forEach(outcome -> all.putAll(outcome.versions()));
    return all.entrySet().stream()
        .map(one -> one.getKey() + " " + one.getValue())
        .collect(Collectors.joining(", "));
  }

  private void verdicts() {
    text.lines("", "## What must hold", "");
    refused(Client.WITHOUT_FEEDBACK);
    refused(Client.WITH_FEEDBACK);
    feedbackCosts();
    stops();
    nothingElse();
  }

  private void refused(Client client) {
    long refused = sum(client, Measured::refused);
    text.claim(
        refused == 0,
        Text.format(
            "%s: refused %d of %s requests%s",
            client.title, refused, Text.number(sum(client, Measured::sent)), refusedBy(client)));
  }

  private String refusedBy(Client client) {
    return outcomes.stream()
        .filter(outcome -> of(outcome, client).refused() > 0)
        .map(outcome -> ", by " + outcome.peer().name())
        .collect(Collectors.joining());
  }

  private long sum(Client client, ToLongFunction<Measured> number) {
    return outcomes.stream().mapToLong(outcome -> number.applyAsLong(of(outcome, client))).sum();
  }

  private static Measured of(Outcome outcome, Client client) {
    return outcome.clients().get(client);
  }

  /** A short run shows a single peer's share too roughly. */
  private void feedbackCosts() {
    Outcome least = outcomes.stream().min(Comparator.comparing(PeersText::share)).orElseThrow();
    double all = outcomes.stream().mapToDouble(PeersText::share).average().orElseThrow();
    double must = quick ? 0.9 : 0.97;
    text.claim(
        (quick ? all : share(least)) >= must,
        Text.format(
            "With feedback Pacegate delivers at least %.0f %% of what it delivers without, %s: %.1f %% on average, least %.1f %%, at %s",
            100 * must,
            quick ? "on average" : "at each peer",
            100 * all,
            100 * share(least),
            least.peer().name()));
  }

  private static double share(Outcome outcome) {
    return of(outcome, Client.WITH_FEEDBACK).perSecond()
        / of(outcome, Client.WITHOUT_FEEDBACK).perSecond();
  }

  private void stops() {
    var tooLong =
        outcomes.stream()
            .filter(
                outcome ->
                    outcome.clients().entrySet().stream()
                        .filter(one -> one.getKey().isOurs())
                        .anyMatch(one -> isTooLong(outcome.peer(), one.getValue())))
            .map(outcome -> outcome.peer().name())
            .collect(Collectors.joining(", "));
    text.claim(
        tooLong.isEmpty(),
        Text.format(
            "Pacegate never stops for longer than the server's window (and what it calls its margin, and %d ms for a busy machine)%s",
            lateness.toMillis(), tooLong.isEmpty() ? "" : ", but at " + tooLong));
  }

  private boolean isTooLong(Peer peer, Measured measured) {
    Duration margin = peer.window().dividedBy(1_000).plusMillis(1);
    return measured.longestStop().compareTo(peer.window().plus(margin).plus(lateness)) > 0;
  }

  private void nothingElse() {
    long failed = 0;
    for (Client client : Client.values()) {
      failed += sum(client, Measured::failed);
    }
    text.claim(failed == 0, Text.format("Requests that failed in another way: %d", failed));
    Duration longest =
        outcomes.stream()
            .flatMap(outcome -> outcome.clients().values().stream())
            .map(Measured::longestStall)
            .max(Comparator.naturalOrder())
            .orElseThrow();
    boolean asPlanned = longest.plus(Wire.LONGEST_THERE).compareTo(PeerLineup.UNANSWERED) < 0;
    text.lines(
        Text.format(
            "- A server was stopped for at most %d ms: a lost request was counted within the %d ms that the limits state%s",
            longest.toMillis(),
            PeerLineup.UNANSWERED.toMillis(),
            asPlanned ? "." : ", **unless it came at a bad time: the machine was too busy.**"));
  }

  private void table() {
    text.lines(
        "",
        "## What was measured",
        "",
        Text.format(
            "Each client has a server of its own, on the loopback, for %d s; the clients of a server run at the same time. %d threads",
            length.toSeconds(), Client.WITH_FEEDBACK.threads),
        Text.format(
            "send as fast as they may; of the bare client %d. A request takes 0 to %d ms to the server, at random, the answer up to %d ms",
            Client.BARE.threads, Wire.LONGEST_THERE.toMillis(), Wire.LONGEST_BACK.toMillis()),
        Text.format(
            "in the server and up to %d ms for each of its parts on the way back. %s",
            Wire.LONGEST_BACK.toMillis(), stalled()),
        "",
        "*refused*: 429 or 503. *timed out*: the client gave up. *a second*: answered with 200; the first and the last",
        "period count in part, lest it matters whether the run ends before a burst or after it. *of the limit*: of what the server",
        "says it allows. *longest stop*: the longest time in which requests waited, though the server had answered all that were",
        Text.format(
            "sent, and no longer than %d ms ago a request was sent that the client gave up.",
            PeerLineup.UNANSWERED.toMillis()));
    text.table(
        "server: limit for it",
        "client",
        "sent",
        "200",
        "refused",
        "timed out",
        "a second",
        "of the limit",
        "longest stop");
    outcomes.forEach(
        outcome ->
            outcome.clients().forEach((client, measured) -> row(outcome.peer(), client, measured)));
  }

  private String stalled() {
    long longs = stalls.stream().filter(Stalls.LONG::equals).count();
    return Text.format(
        "A server is stopped (`SIGSTOP`) %s for %d ms, and %s for %d ms,\nbefore requests of certain numbers; the client gives up after %d ms.",
        times(stalls.size() - longs),
        Stalls.SHORT.toMillis(),
        times(longs),
        Stalls.LONG.toMillis(),
        Load.TIMEOUT.toMillis());
  }

  private static String times(long number) {
    return number == 1 ? "once" : number + " times";
  }

  private void row(Peer peer, Client client, Measured measured) {
    text.row(
        client == Client.values()[0] ? peer.name() + ": " + Text.limit(peer.limit()) : "",
        client.title,
        measured.sent(),
        measured.answered(),
        measured.refused() > 0 && client.isOurs()
            ? "**" + measured.refused() + "**"
            : measured.refused(),
        measured.timedOut(),
        Text.format("%.2f", measured.perSecond()),
        Text.format("%.0f %%", 100 * measured.perSecond() / peer.allowed().perSecond()),
        measured.longestStop().toMillis() + " ms");
  }

  private void meanings() {
    text.lines("", "## What the rows mean", "");
    for (Outcome outcome : outcomes) {
      Peer peer = outcome.peer();
      text.lines("- **" + peer.name() + "**: " + Text.limit(peer.limit()) + ". " + peer.meaning());
    }
  }

  private void again() {
    text.lines(
        "",
        "## How to make it again",
        "",
        "`benchmarks/run peers` needs nginx, HAProxy, Node and npm (Debian: `nginx-light haproxy nodejs npm`). It installs the",
        "[packages](../../benchmarks/src/main/peers/package.json) below `benchmarks/target`, starts the servers on free ports of the",
        "loopback, stops them, and writes this page. `benchmarks/run peers --quick` takes about a minute and writes below",
        "`benchmarks/target`. Both fail if something that must hold does not.");
  }
}
