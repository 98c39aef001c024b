package dev.pacegate.simulator;
import dev.pacegate.limit.Limit;
import java.util.List;
final class Try {
  public static void main(String[] a) {
    var net = new Network(Delay.parse("lognormal(20ms, p99=200ms)"), Delay.parse("5ms..30ms"), Delay.parse("lognormal(20ms, p99=200ms)"),
      Odds.parse("1%"), Delay.parse("500ms..4s"), Odds.parse("0.3%"), Odds.parse("0.2%"));
    var client = new Client(new Demand.Always(), 1, 1, 1_000_000_000L, Odds.parse("0.1%"), Delay.parse("100ms..1s"), Delay.parse("0ms..2ms"), List.of());
    for (int k = 0; k < 2; k++)
    for (String[] x : new String[][] {{"10/1s","fixed(10/1s)"},{"peer(50/1s, unanswered=6s)","sliding(50/1s)"},{"peer(50/1s, unanswered=6s)","fixed(50/1s)"},{"peer(bucket(100/1s, burst=50), unanswered=6s)","bucket(100/1s, burst=50)"},{"peer(bucket(100/1s, burst=50), unanswered=6s)","gcra(100/1s, burst=50)"},{"peer(spacing(20ms), unanswered=6s)","spacing(20ms)"}}) {
      long t = System.nanoTime();
      var s = new Scenario(Limit.parse(x[0]), client, net, new PeerSide(Rule.parse(x[1]), new PeerClock(12345, -900, 1_000), PeerSide.Moment.DISPATCH, true), Long.parseLong(a[0]), 7);
      var o = Simulation.run(s);
      double us = (System.nanoTime() - t) / 1000.0 / o.sends();
      System.out.printf("%-50s %-25s refused %d worst %s share %.4f theory %.4f hold %.1fms w50 %.1fms w99 %.1fms ev/send %.2f  %016x  %.2f us%n", x[0], x[1], o.refused(), o.worst(), o.shareOfPeer(), o.shareOfTheory(), o.meanHold()/1e6, o.wait50()/1e6, o.wait99()/1e6, o.events()/(double)o.sends(), o.digest(), us);
    }
  }
}
