package dev.pacegate.engine;

import dev.pacegate.engine.visit.Chain;
import dev.pacegate.limit.Cost;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a check of an engine has found broken. */
final class Findings {

  private final List<String> broken = new ArrayList<>();

  List<String> broken() {
    return broken;
  }

  /** Notes {@code what} if it does not hold. */
  void holds(String what, boolean holds) {
    if (!holds) {
      broken.add("not so: " + what);
    }
  }

  /** Notes a value that is not what it should be. */
  void equal(String what, @Nullable Object kept, @Nullable Object found) {
    if (!Objects.equals(kept, found)) {
      broken.add(what + ": " + kept + " is kept, " + found + " was found");
    }
  }

  /** Notes a sum that is not what its parts add up to; one that has saturated is not exact. */
  void sum(String what, Cost kept, Cost found) {
    if (!kept.isSaturated() && !found.isSaturated()) {
      equal(what, text(kept), text(found));
    }
  }

  /** Tells all entries that are not 0: an amount of 0 is the same as none. */
  private static String text(Cost cost) {
    var text = new StringBuilder().append(cost.calls()).append(" calls of ").append(cost.amount());
    for (String name : cost.names()) {
      if (cost.amount(name) != 0) {
        text.append(", ").append(cost.amount(name)).append(" of ").append(name);
      }
    }
    return text.toString();
  }

  /** Returns the members of a list, and notes links that do not fit. */
  <L extends Chain.Link<L>> List<L> members(String what, Chain<L> chain) {
    var members = new ArrayList<L>();
    L before = null;
    for (L link = chain.first(); link != null && members.size() <= chain.size(); link = link.next) {
      holds(what + ": a member leads back to the one before", link.previous == before);
      members.add(link);
      before = link;
    }
    equal(what + ": members", chain.size(), members.size());
    holds(what + ": the last member ends it", Fields.find(chain, "last", Object.class) == before);
    return members;
  }
}
