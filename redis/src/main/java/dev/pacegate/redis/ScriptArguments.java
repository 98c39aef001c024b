package dev.pacegate.redis;

import java.util.ArrayList;
import java.util.List;

/** The keys and arguments of the scripts, in their order. */
final class ScriptArguments {

  private ScriptArguments() {}

  /** Returns the keys of a limit. The braces keep them together where keys are spread. */
  static List<String> keys(String name) {
    String record = "pacegate:{" + name + "}";
    return List.of(record, record + ":runs", record + ":line");
  }

  static List<String> acquire(String client, Request request, Terms terms, boolean fresh) {
    var arguments = new ArrayList<String>();
    arguments.add(client);
    arguments.add(Long.toString(request.number()));
    arguments.add(Long.toString(request.want()));
    arguments.add(Long.toString(request.least()));
    arguments.add(Long.toString(request.spare()));
    arguments.add(request.epoch());
    arguments.add(request.distrust());
    arguments.add(request.revision());
    arguments.add(fresh ? "1" : "");
    arguments.addAll(terms.arguments());
    for (Report report : request.reports()) {
      arguments.add(report.lease());
      arguments.add(Long.toString(report.left()));
      arguments.add(report.kind().text);
      arguments.add(Long.toString(report.instant()));
    }
    return arguments;
  }

  /**
   * Returns the arguments of a change.
   *
   * @param change its own name: a change that is repeated is carried out once
   */
  static List<String> change(String change, String revision, Terms until, Terms next) {
    var arguments = new ArrayList<String>();
    arguments.add(change);
    arguments.add(revision);
    arguments.addAll(until.arguments());
    arguments.addAll(next.arguments());
    return arguments;
  }
}
