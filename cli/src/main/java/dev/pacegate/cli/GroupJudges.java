package dev.pacegate.cli;

import dev.pacegate.audit.Reorder;
import dev.pacegate.audit.Report;
import dev.pacegate.audit.Verdict;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Promise;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Judges the requests of each group by themselves. Memory grows with the number of groups. */
final class GroupJudges implements LogReader.GroupSink {

  private static final int WORST = 10;

  private final List<Promise> promises;
  private final long span; // by which lines may be out of order
  private final Map<String, JudgedGroup> groups = new HashMap<>();

  /** Of one group. */
  private record JudgedGroup(Judge judge, @Nullable Reorder order) {}

  /** What was found of a promise in a group. */
  record GroupVerdict(String group, Verdict verdict) {}

  /**
   * Creates judges.
   *
   * @param span by how many nanoseconds lines of a group may be out of order
   */
  GroupJudges(List<Promise> promises, long span) {
    this.promises = promises;
    this.span = span;
  }

  @Override
  public void add(String group, long start, long end, Cost cost) {
    JudgedGroup of = groups.computeIfAbsent(group, name -> begin());
    if (of.order == null) {
      of.judge.add(start, end, cost);
    } else {
      of.order.add(start, end, cost);
    }
  }

  private JudgedGroup begin() {
    var judge = new Judge(promises);
    return new JudgedGroup(judge, span == 0 ? null : new Reorder(span, judge::add));
  }

  /** There are no more requests. */
  void flush() {
    for (JudgedGroup group : groups.values()) {
      if (group.order != null) {
        group.order.flush();
      }
    }
  }

  boolean kept() {
    return groups.values().stream().allMatch(group -> group.judge.kept());
  }

  /** Returns the judge of all requests together, which are of one group. */
  Judge ofAll() {
    return groups.getOrDefault("", begin()).judge;
  }

  /** Returns the judge of each group, in the order of their names. */
  Map<String, Judge> byGroup() {
    Map<String, Judge> judges = new TreeMap<>();
    groups.forEach((name, group) -> judges.put(name, group.judge));
    return judges;
  }

  private Map<String, Report> reports() {
    Map<String, Report> reports = new HashMap<>();
    groups.forEach((name, group) -> reports.put(name, group.judge.report()));
    return reports;
  }

  /**
   * Returns the findings on all groups, and the worst of them.
   *
   * @param column that names the groups
   */
  List<String> linesOfGroups(String column, LongFunction<String> instants) {
    Map<String, Report> reports = reports();
    long requests = reports.values().stream().mapToLong(Report::count).sum();
    var lines = new ArrayList<String>();
    lines.add(
        counted(requests, "request") + " in " + counted(groups.size(), "group") + " by " + column);
    for (int promise = 0; promise < promises.size() && !groups.isEmpty(); promise++) {
      List<GroupVerdict> findings = findings(reports, promise);
      findings.sort(worstFirst(promises.get(promise)));
      add(findings, instants, lines);
    }
    return lines;
  }

  private static List<GroupVerdict> findings(Map<String, Report> reports, int promise) {
    var findings = new ArrayList<GroupVerdict>();
    reports.forEach(
        (name, report) -> findings.add(new GroupVerdict(name, report.verdicts().get(promise))));
    return findings;
  }

  /** Returns what was found of each promise in the group that came closest to breaking it. */
  List<GroupVerdict> worst() {
    Map<String, Report> reports = reports();
    var worst = new ArrayList<GroupVerdict>();
    for (int promise = 0; promise < promises.size() && !groups.isEmpty(); promise++) {
      List<GroupVerdict> findings = findings(reports, promise);
      worst.add(Collections.min(findings, byMeasure(promises.get(promise))));
    }
    return worst;
  }

  private static String counted(long count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }

  private static void add(
      List<GroupVerdict> findings, LongFunction<String> instants, List<String> lines) {
    Verdict worst = findings.get(0).verdict;
    long broken = findings.stream().filter(each -> !each.verdict.kept()).count();
    lines.add(
        worst.kept()
            ? "kept by all: " + worst.promise().text()
            : "broken by " + broken + " of " + findings.size() + ": " + worst.promise().text());
    int most = findings.size() > WORST + 1 ? WORST : findings.size();
    for (GroupVerdict each : findings.subList(0, most)) {
      String sign = each.verdict.kept() ? "" : "broken, ";
      lines.add("  " + World.oneLine(each.group) + ": " + sign + each.verdict.found(instants));
    }
    if (most < findings.size()) {
      String others = broken > most ? ", " + (broken - most) + " of which broke it" : "";
      lines.add("  and " + (findings.size() - most) + " more groups" + others);
    }
    if (!worst.where().isEmpty()) {
      lines.add("  limit that fits: " + worst.tightest().text());
    }
  }

  private static Comparator<GroupVerdict> worstFirst(Promise promise) {
    return Comparator.<GroupVerdict, Boolean>comparing(each -> each.verdict.kept())
        .thenComparing(byMeasure(promise));
  }

  private static Comparator<GroupVerdict> byMeasure(Promise promise) {
    boolean leastIsWorst = promise instanceof Promise.Gap;
    return Comparator.<GroupVerdict>comparingLong(
            each -> leastIsWorst ? each.verdict.measured() : ~each.verdict.measured())
        .thenComparing(each -> each.group);
  }
}
