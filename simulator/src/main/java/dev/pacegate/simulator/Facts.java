package dev.pacegate.simulator;

import dev.pacegate.time.Durations;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The settings of a {@link Scenario}, read from the scenario itself: two that differ in any are
 * told apart, wherever they come from.
 */
final class Facts {

  private static final String USUAL_BACK = "as delay";

  private Facts() {}

  /**
   * Returns the delay and every setting that is not the default, each as {@code name: value}. The
   * peer's rule, the number of requests and the seed are not among them.
   */
  static List<String> of(Scenario scenario) {
    Map<Setting, String> usual = values(usual(scenario));
    var facts = new ArrayList<String>();
    values(scenario)
        .forEach(
            (setting, value) -> {
              if (setting == Setting.DELAY || !value.equals(usual.get(setting))) {
                facts.add(setting.text() + ": " + value);
              }
            });
    if (scenario.client().tellsSending()) {
      facts.add("tells its limiter when it sends");
    }
    return facts;
  }

  /** Returns the changes of the limit, each as {@code from 20s: peer(5/1s)}. */
  static List<String> changes(Scenario scenario) {
    return scenario.client().changes().stream()
        .map(change -> "from " + Durations.format(change.at()) + ": " + change.limit())
        .toList();
  }

  private static Scenario usual(Scenario scenario) {
    Delay delay = Delay.parse(Setting.DELAY.usual());
    return new Scenario(
        scenario.limit(),
        Client.busy(),
        Network.of(delay, Delay.NONE, delay),
        PeerSide.of(scenario.peer().rule()),
        1,
        1);
  }

  private static Map<Setting, String> values(Scenario scenario) {
    var values = new EnumMap<Setting, String>(Setting.class);
    PeerSide peer = scenario.peer();
    values.put(Setting.COUNTS, peer.counts().name().toLowerCase(Locale.ROOT));
    values.put(Setting.REFUSES, peer.refuses() ? "yes" : "no");
    values.put(Setting.CLOCK_OFFSET, signed(peer.clock().offset()));
    values.put(Setting.CLOCK_ERROR, percent(peer.clock().fastPpm()));
    values.put(Setting.CLOCK_GRAIN, Durations.format(peer.clock().grain()));
    Network network = scenario.network();
    values.put(Setting.DELAY, network.there().toString());
    values.put(Setting.WORK, network.work().toString());
    boolean same = network.back().equals(network.there());
    values.put(Setting.BACK, same ? USUAL_BACK : network.back().toString());
    values.put(Setting.STALLS, mishap(network.stalls(), network.stall()));
    values.put(Setting.LOST, network.lost().toString());
    values.put(Setting.RESETS, network.resets().toString());
    Client client = scenario.client();
    values.put(Setting.TIMEOUT, Durations.format(client.timeOut()));
    values.put(Setting.DEMAND, client.demand().toString());
    values.put(Setting.COST, range(client.leastCost(), client.mostCost()));
    values.put(Setting.PAUSES, mishap(client.pauses(), client.pause()));
    values.put(Setting.LATE_TIMERS, client.lateness().toString());
    return values;
  }

  private static String signed(long nanos) {
    return nanos < 0 ? "-" + Durations.format(-nanos) : Durations.format(nanos);
  }

  private static String percent(long millionths) {
    return BigDecimal.valueOf(millionths, 4).stripTrailingZeros().toPlainString() + "%";
  }

  private static String mishap(Odds odds, Delay length) {
    return odds.equals(Odds.NEVER) ? odds.toString() : odds + " of " + length;
  }

  private static String range(long least, long most) {
    return least == most ? String.valueOf(least) : least + ".." + most;
  }
}
