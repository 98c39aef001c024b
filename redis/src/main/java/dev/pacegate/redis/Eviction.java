package dev.pacegate.redis;

/**
 * What a server drops when its memory is full, as INFO tells it.
 *
 * @param policy {@code maxmemory-policy}
 * @param limit {@code maxmemory}, for people; "0B" if there is none
 */
record Eviction(String policy, String limit) {

  static Eviction of(ServerFacts facts) {
    return new Eviction(
        ServerFacts.field(facts.memory(), "maxmemory_policy"),
        ServerFacts.field(facts.memory(), "maxmemory_human"));
  }

  /** Warns if a record may be dropped, which has no time to live. */
  void tell() {
    if (happens() && policy.startsWith("allkeys")) {
      Log.warning(
          "this server evicts any key when its memory is full"
              + settings()
              + ": a limit that it evicts grants no permits for a fence. "
              + remedy());
    }
  }

  /** Warns if any key may be dropped, as it may have been one of this limit. */
  void tellKeyed(String name) {
    if (happens()) {
      Log.warning(
          name
              + ": this server evicts keys when its memory is full"
              + settings()
              + ": after each eviction, no key gets a permit for a fence, and none at all while"
              + " evictions continue. "
              + remedy());
    }
  }

  /** Returns whether the server drops any keys. */
  boolean happens() {
    return !limit.equals("0B") && !policy.equals("noeviction");
  }

  private String settings() {
    return " (maxmemory-policy " + policy + ", maxmemory " + limit + ")";
  }

  private static String remedy() {
    return "Set maxmemory-policy noeviction";
  }
}
