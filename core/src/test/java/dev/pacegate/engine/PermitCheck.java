package dev.pacegate.engine;

import dev.pacegate.engine.OpenPermitList.Aged;
import dev.pacegate.engine.visit.Chain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Compares the counts of open permits with their lists. For callers that hold the gate. */
final class PermitCheck {

  private final Pools pools;
  private final PermitLedger permits;
  private final Findings findings;

  PermitCheck(EngineState state, Findings findings) {
    this.pools = Fields.get(state, "pools", Pools.class);
    this.permits = Fields.get(state, "permits", PermitLedger.class);
    this.findings = findings;
  }

  /** Returns the lanes of open permits. */
  Set<Lane> inUse() {
    Set<Lane> lanes = new HashSet<>();
    permits.forEachOpen(entry -> lanes.add(entry.lane));
    return lanes;
  }

  /** Looks at all permits, and at the counts of all lanes that are {@code known}. */
  void look(Set<Lane> known) {
    OpenPermitList withoutKeys = Fields.get(permits, "open", OpenPermitList.class);
    Chain<OpenPermitList> chain = Fields.get(permits, "lists", Chain.class);
    List<OpenPermitList> lists = findings.members("the lists of permits", chain);
    findings.holds("the list without keys is always kept", lists.contains(withoutKeys));
    Map<Lane, Integer> open = new HashMap<>();
    int all = 0;
    for (OpenPermitList list : lists) {
      findings.holds(
          "a list of keys' permits is not empty", list == withoutKeys || list.size() > 0);
      for (OpenEntry entry : look(list)) {
        all++;
        open.merge(entry.lane, 1, Integer::sum);
        for (Lane group : entry.lane.around) {
          open.merge(group, 1, Integer::sum);
        }
        OpenPermitList ofKeys = entry.lane.openOfKeys();
        findings.holds("a permit is in its list", list == (ofKeys == null ? withoutKeys : ofKeys));
        lookAtPools(entry);
      }
    }
    findings.equal("all open permits", permits.openNow(), all);
    for (Lane lane : known) {
      String what = "open permits of " + EngineCheck.text(lane);
      findings.equal(what, lane.open, open.getOrDefault(lane, 0));
    }
  }

  private List<OpenEntry> look(OpenPermitList list) {
    Chain<OpenEntry> agedChain = Fields.get(list, "aged", Chain.class);
    Chain<OpenEntry> youngChain = Fields.get(list, "young", Chain.class);
    List<OpenEntry> aged = findings.members("long-open permits", agedChain);
    List<OpenEntry> young = findings.members("open permits", youngChain);
    aged.forEach(entry -> lookAtAged((Aged) entry));
    young.forEach(entry -> lookAtYoung((OpenPermit) entry));
    lookAtWarned(Fields.find(list, "unwarned", Aged.class), aged);
    var all = new ArrayList<>(aged);
    all.addAll(young);
    for (int i = 1; i < all.size(); i++) {
      boolean later = all.get(i).startedAt >= all.get(i - 1).startedAt;
      findings.holds("the oldest permit is the first", later);
    }
    return all;
  }

  private void lookAtYoung(OpenPermit permit) {
    findings.holds("a listed permit is open", !permit.ended);
    findings.holds("a listed permit needs an end", !permit.needsNoEnd);
    findings.holds("a listed permit is not replaced", permit.aged() == null);
  }

  private void lookAtAged(Aged entry) {
    findings.holds("a listed long-open permit is open", !entry.ended);
    OpenPermit permit = entry.permit();
    if (permit != null) {
      findings.holds("a replaced permit is open", !permit.ended);
      findings.holds("a replaced permit knows its entry", permit.aged() == entry);
      findings.equal("the cost of a long-open permit", entry.cost, permit.cost);
      findings.equal("when a long-open permit was charged", entry.chargedAt(), permit.chargedAt());
    }
  }

  private void lookAtWarned(@Nullable Aged unwarned, List<OpenEntry> aged) {
    boolean before = true;
    for (OpenEntry entry : aged) {
      before &= entry != unwarned;
      findings.holds("a permit passed over was warned about", !before || ((Aged) entry).warned);
    }
    findings.equal("whether some permit was not warned about", unwarned != null, !before);
  }

  private void lookAtPools(OpenEntry entry) {
    Pool pool = entry.drawnFrom();
    boolean right =
        pools.common == null
            ? pool == null
            : pool != null && (pool == pools.common || pool == entry.lane.reserve());
    findings.holds("a permit was drawn from the rest, or its lane's reserved share", right);
  }
}
