package dev.pacegate.redis;

import dev.pacegate.redis.StoredLimit.State;

/**
 * Of how many clients a call has to take care, in Java: they stay away for a gap if there are many.
 */
final class TwinCrowd {

  private final Terms law;
  private final String client;
  private final Request request;
  final long clients;
  final long gap; // 0 if there is no crowd

  /**
   * Looks at a state.
   *
   * @param known how many clients the record knows; -1 of a key, whose clients no record has
   */
  TwinCrowd(
      StoreTwin.Pace pace, State state, Terms law, int known, String client, Request request) {
    this.law = law;
    this.client = client;
    this.request = request;
    long leases =
        state.counts.stream()
            .mapToLong(count -> count.runs.stream().filter(run -> !run.id().isEmpty()).count())
            .max()
            .orElse(0);
    long seen = leases + state.line.size();
    boolean isMost = pace.gap(seen) > law.use() && 2 * seen >= known;
    this.clients = isMost ? known : seen;
    this.gap = known >= 0 && pace.gap(clients) > law.use() ? pace.gap(clients) : 0;
  }

  boolean isThere() {
    return gap > 0;
  }

  /** Returns a gap of this request, from half to one and a half of the usual one. */
  long spread() {
    long place = request.number() * 40503 % 65536;
    for (int i = 0; i < client.length(); i++) {
      place = (place * 31 + client.charAt(i)) % 65536;
    }
    return gap / 2 + gap * place / 65536;
  }

  private double rate(Term term) {
    return rate(law, term);
  }

  /** Returns how many units of a term come back in a microsecond. */
  private static double rate(Terms law, Term term) {
    return term.refill() > 0
        ? (double) term.refill() / term.every()
        : (double) term.capacity() / Math.max(term.interval(), law.horizon());
  }

  /** Returns whether what the first in line wants must begin to gather, as it calls soon. */
  static boolean isNear(Terms law, StoredLimit.Place first, long clock) {
    long gathers = 0;
    for (int i = 0; i < law.terms().size(); i++) {
      Term term = law.terms().get(i);
      double others = Math.min(first.want().get(i), term.capacity()) - 1;
      gathers = Math.max(gathers, (long) Math.floor(others / rate(law, term)));
    }
    return first.over() <= clock + gathers + law.horizon();
  }

  private double share(Term term) {
    return gap * rate(term) / clients;
  }

  /** Returns whether the client may call twice in its turn. */
  boolean isTwice() {
    for (int i = 0; i < law.terms().size(); i++) {
      Request.Demand demand = request.demands().get(i);
      if (demand.want() > 0
          && demand.want() + demand.spare() / 2.0 < 1.25 * share(law.terms().get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Returns how many units of a term it needs, of which it gets some of its batch. */
  long need(int index, long need, long batch) {
    Term term = law.terms().get(index);
    Request.Demand demand = request.demands().get(index);
    if (demand.want() == 0) {
      return 0;
    }
    long most = (long) Math.ceil(isTwice() ? 2 * share(term) : (double) term.capacity() / clients);
    return Math.max(need, Math.min(Math.min(demand.want() + demand.spare(), batch), most));
  }

  /** Returns for how long it stays away until the units are there that others wait for, and its. */
  long turn(int index, long units) {
    return (long) Math.floor(units * 0.75 / rate(law.terms().get(index)));
  }
}
