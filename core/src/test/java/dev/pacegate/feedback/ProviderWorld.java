package dev.pacegate.feedback;

import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The server of a provider and its clients, in virtual time. A request takes up to 40 ms until the
 * server counts it, and its answer up to 20 ms.
 */
final class ProviderWorld {

  private static final long MILLIS = 1_000_000;
  private static final long SECOND = 1_000 * MILLIS;
  private static final Instant BEGAN = Instant.parse("2026-01-01T00:00:00Z");
  private static final int WORKERS = 4;
  private static final Pattern SHORT_PART = Pattern.compile("\\{short\\.[^,]*,");

  private record Judged(int sender, long instant, boolean accepted) {}

  private final ManualTime time = ManualTime.manual();
  private final Provider provider;
  private final List<PeerCount> counts = new ArrayList<>(); // the longer window first
  private final List<Judged> judged = new ArrayList<>();
  private final Random random;
  private final long window;
  private int senders;

  /**
   * Creates a server without clients.
   *
   * @param hasTwoTerms whether it also limits a tenth of its window to a third of the requests
   */
  ProviderWorld(Provider provider, boolean hasTwoTerms, long seed) {
    this.provider = provider;
    this.random = new Random(seed);
    this.window = provider.seconds() * SECOND;
    time.setInstant(BEGAN);
    counts.add(count(provider.kind(), provider.max(), window));
    if (hasTwoTerms) {
      counts.add(count(shortKind(provider.kind()), provider.shortMax(), window / 10));
    }
  }

  private PeerCount count(PeerCount.Kind kind, long max, long interval) {
    return new PeerCount(kind, max, interval, (long) (random.nextDouble() * (double) interval));
  }

  private static PeerCount.Kind shortKind(PeerCount.Kind kind) {
    return switch (kind) {
      case FIXED, FIRST_HIT, SLIDING -> kind;
      case BUCKET, BUCKET_OF_SECONDS -> PeerCount.Kind.SLIDING;
    };
  }

  /** Starts a client that sends all that {@code limit} lets through. */
  void send(String limit) {
    Limiter limiter = Limiter.builder(limit).time(time).executor(Runnable::run).build();
    int sender = senders++;
    for (int i = 0; i < WORKERS; i++) {
      next(limiter, sender);
    }
  }

  /** Starts a client that sends half of what the server accepts, evenly, whatever it answers. */
  void sendHalfEvenly() {
    long gap = window * 2 / provider.max();
    everyGap(senders++, (long) (random.nextDouble() * (double) gap), gap);
  }

  private void everyGap(int sender, long at, long gap) {
    time.at(
        at,
        () -> {
          later(40, () -> judge(sender));
          everyGap(sender, at + gap, gap);
        });
  }

  @SuppressWarnings("FutureReturnValueIgnored") // it fails when the world is over
  private void next(Limiter limiter, int sender) {
    limiter.acquireAsync().thenAccept(permit -> later(40, () -> arrives(limiter, sender, permit)));
  }

  private void arrives(Limiter limiter, int sender, Permit permit) {
    Answer answer = judge(sender);
    boolean isRefused = provider.refusesInTheBody() && !judged.get(judged.size() - 1).accepted;
    later(
        20,
        () -> {
          PeerAnswer said = Feedback.standard().read(answer);
          var body = PeerAnswer.of(isRefused ? PeerVerdict.REFUSED : PeerVerdict.ACCEPTED);
          Feedback.standard().apply(limiter, permit, answer, said.and(body));
          permit.answered();
          next(limiter, sender);
        });
  }

  private void later(long mostMillis, Runnable task) {
    time.at(time.nanoTime() + (long) (random.nextDouble() * (double) (mostMillis * MILLIS)), task);
  }

  private Answer judge(int sender) {
    long now = time.nanoTime();
    PeerCount full = null;
    for (PeerCount count : counts) {
      full = full == null && count.left(now) <= 0 ? count : full;
    }
    judged.add(new Judged(sender, now, full == null));
    if (full != null) {
      String headers = provider.always() + provider.refused();
      return new Answer(provider.refusal(), headers(headers, full, now), time.instant());
    }
    counts.forEach(count -> count.count(now));
    return new Answer(200, headers(provider.always(), counts.get(0), now), time.instant());
  }

  private Map<String, List<String>> headers(String lines, PeerCount resets, long now) {
    var headers = new TreeMap<String, List<String>>(String.CASE_INSENSITIVE_ORDER);
    boolean hasShort = counts.size() > 1;
    lines
        .lines()
        .map(line -> hasShort ? line : SHORT_PART.matcher(line).replaceAll(""))
        .filter(line -> hasShort || !line.contains("{short."))
        .map(line -> filled(line, resets, now))
        .map(line -> line.split(": ", 2))
        .forEach(header -> headers.put(header[0], List.of(header[1])));
    return headers;
  }

  private String filled(String line, PeerCount resets, long now) {
    long reset = resets.reset(now);
    long epochNanos = BEGAN.getEpochSecond() * SECOND + now + reset;
    String text = filled(line, "", counts.get(0), now);
    text = counts.size() > 1 ? filled(text, "short.", counts.get(1), now) : text;
    return text.replace("{seconds}", "" + Math.max(1, roundedUp(reset, SECOND)))
        .replace("{millis}", "" + roundedUp(reset, MILLIS))
        .replace("{millis.decimal}", "" + (double) roundedUp(reset, MILLIS) / 1000)
        .replace("{epoch}", "" + roundedUp(epochNanos, SECOND))
        .replace("{epoch.millis}", "" + roundedUp(epochNanos, MILLIS));
  }

  private static String filled(String line, String prefix, PeerCount count, long now) {
    long left = count.left(now);
    return line.replace("{" + prefix + "max}", "" + count.max())
        .replace("{" + prefix + "left}", "" + left)
        .replace("{" + prefix + "used}", "" + (count.max() - left))
        .replace("{" + prefix + "window}", "" + Math.max(1, count.interval() / SECOND))
        .replace("{" + prefix + "window.millis}", "" + count.interval() / MILLIS);
  }

  private static long roundedUp(long nanos, long unit) {
    return (nanos + unit - 1) / unit;
  }

  /** Runs for so many windows in all. */
  void runUntil(int windows) {
    time.advanceNanos(windows * window - time.nanoTime());
  }

  /** Returns how many requests of a sender were judged so from one window to another. */
  long count(int sender, boolean accepted, int from, int to) {
    return judged.stream()
        .filter(each -> each.sender == sender && each.accepted == accepted)
        .filter(each -> each.instant >= from * window && each.instant < to * window)
        .count();
  }

  /** Returns which part of a sender's requests were refused from one window to another. */
  double refused(int sender, int from, int to) {
    double refused = (double) count(sender, false, from, to);
    return refused / (refused + (double) count(sender, true, from, to));
  }
}
