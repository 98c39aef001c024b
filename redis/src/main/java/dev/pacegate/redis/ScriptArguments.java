package dev.pacegate.redis;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The arguments of the scripts, in their order. */
final class ScriptArguments {

  private ScriptArguments() {}

  /**
   * Returns what is said once in a call of {@code acquire.lua}; the {@linkplain #entry entries}
   * follow.
   *
   * @param all the limit of all keys, or of the name if it has no keys, as the process knows it
   * @param fresh whether a name that the server does not know has never been used
   * @param durable whether the server loses nothing
   * @param check tells whether the keys are hashed with the same secret; empty without keys
   * @param label the process's name for people; empty if it is not to be known
   */
  static List<String> common(
      Terms all, boolean fresh, boolean durable, String check, String label) {
    var arguments = new ArrayList<String>();
    arguments.add(fresh ? "1" : "");
    arguments.add(durable ? "1" : "");
    arguments.add(check);
    arguments.add(label);
    arguments.addAll(all.arguments());
    return arguments;
  }

  /**
   * Returns an entry: what a client says of one key, or of a limit without keys.
   *
   * @param offset by how many microseconds its wall clock is ahead of the store's; null if it has
   *     not seen that yet
   */
  static List<String> entry(String client, Request request, @Nullable Long offset) {
    var arguments = new ArrayList<String>();
    arguments.add(client);
    arguments.add(Long.toString(request.number()));
    arguments.add(request.epoch());
    arguments.add(request.distrust());
    arguments.add(request.revision());
    arguments.add(offset == null ? "" : offset.toString());
    arguments.add(Integer.toString(request.demands().size()));
    for (Request.Demand demand : request.demands()) {
      arguments.add(Long.toString(demand.want()));
      arguments.add(Long.toString(demand.least()));
      arguments.add(Long.toString(demand.spare()));
    }
    arguments.add(Integer.toString(request.reports().size()));
    for (Report report : request.reports()) {
      arguments.add(Integer.toString(report.term()));
      arguments.add(report.lease());
      arguments.add(Long.toString(report.left()));
      arguments.add(report.kind().text);
      arguments.add(Long.toString(report.instant()));
    }
    return arguments;
  }

  /** Returns the arguments of a call of one entry. */
  static List<String> acquire(
      String client,
      Request request,
      Terms all,
      boolean fresh,
      boolean durable,
      String check,
      String label,
      @Nullable Long offset) {
    List<String> arguments = common(all, fresh, durable, check, label);
    arguments.addAll(entry(client, request, offset));
    return arguments;
  }

  /**
   * Returns the arguments of a change.
   *
   * @param replaced the limit that it replaces, as {@link Reply#revisionToReplace} says; empty to
   *     ask for that first
   * @param who changes it, and why, for those who look at the limit
   */
  static List<String> change(
      String replaced, String check, String who, String why, Terms until, Terms next) {
    var arguments = new ArrayList<String>();
    arguments.add(replaced);
    arguments.add(check);
    arguments.add(who);
    arguments.add(why);
    arguments.addAll(until.arguments());
    arguments.addAll(next.arguments());
    return arguments;
  }
}
