package dev.pacegate.redis;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.LimitFormatException;
import dev.pacegate.limit.Limits;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A limit that the store knows, with all of its tags, for {@link Operations}. What is done to it is
 * done to each tag; one at which it fails does not keep it from the others, and repeating it is
 * harmless.
 */
final class KnownLimit {

  /** Runs scripts and waits for their answers. */
  interface Scripts {
    List<String> status(Address address);

    /** Waits for replicas too. */
    Replies carryOut(Script script, Address address, List<String> arguments);
  }

  private final Scripts scripts;
  private final Settings settings;
  private final String name;
  private final Tags tags;
  private final List<SeenTag> each; // of the tags
  private final SharedLimitStatus some; // of the first that has

  private KnownLimit(
      Scripts scripts, Settings settings, String name, Tags tags, List<SeenTag> each) {
    this.scripts = scripts;
    this.settings = settings;
    this.name = name;
    this.tags = tags;
    this.each = each;
    this.some =
        each.stream().map(SeenTag::status).filter(Objects::nonNull).findFirst().orElseThrow();
  }

  /**
   * Looks at a limit. Its first tag may have lost its record: then the second says how many there
   * are.
   */
  static Optional<KnownLimit> of(String name, Scripts scripts, Settings settings) {
    var one = new Tags(name, 1);
    SeenTag first = look(name, one, 0, scripts);
    SeenTag some = first.tags() > 0 ? first : look(name, one, 1, scripts);
    if (some.tags() == 0) {
      first.requireRead();
      return Optional.empty();
    }
    var tags = new Tags(name, some.tags());
    var each = new ArrayList<SeenTag>();
    each.add(first);
    for (int tag = 1; tag < tags.count(); tag++) {
      each.add(look(name, tags, tag, scripts));
    }
    return Optional.of(new KnownLimit(scripts, settings, name, tags, List.copyOf(each)));
  }

  private static SeenTag look(String name, Tags tags, int tag, Scripts scripts) {
    try {
      List<String> fields = scripts.status(new Address(name, tag, tags.record(tag), null, ""));
      return fields.isEmpty()
          ? SeenTag.NOTHING
          : new SeenTag(
              StatusReply.parse(name, fields),
              StatusReply.tags(fields),
              StatusReply.believedEpoch(fields),
              null);
    } catch (RedisException e) {
      return new SeenTag(null, 0, "", e);
    } catch (LimitFormatException e) { // a later version wrote it
      return new SeenTag(null, 0, "", unusable(e));
    }
  }

  private static RedisException unusable(LimitFormatException limit) {
    return new RedisException(
        "it has a limit that this process cannot use: " + limit.getMessage(), limit);
  }

  /**
   * What a tag tells.
   *
   * @param status null if it has no record, or cannot be read
   * @param tags how many there are; 0 if it does not tell
   * @param epoch that is in force; empty if the next call begins one
   * @param problem why it cannot be read; null if it can
   */
  record SeenTag(
      @Nullable SharedLimitStatus status,
      int tags,
      String epoch,
      @Nullable RedisException problem) {

    static final SeenTag NOTHING = new SeenTag(null, 0, "", null);

    void requireRead() {
      if (problem != null) {
        throw problem;
      }
    }
  }

  /** One of several tags that cannot be read does not hide the others. */
  SharedLimitStatus status() {
    return tags.count() == 1 ? some : StatusOfTags.join(each, some);
  }

  // What is done

  /**
   * Puts another limit in force: of the first tag, as it may have been changed by others meanwhile,
   * and then of each other tag that of the first.
   */
  void setLimit(Limit limit, String why) {
    Terms next = terms(limit);
    Terms until = terms(Limits.parse(some.limit()));
    Reply look = change(0, "", why, until, next);
    Reply reply = change(0, look.revisionToReplace(false), why, until, next);
    if (!reply.hasInForce(next.limit(), false)) {
      throw new IllegalStateException(
          name + ": " + ChangeRequest.inForceInstead(reply, look.epoch(), next.limit()));
    }
    LimitCopy.Changes changes =
        (tag, replaced, from, to) ->
            CompletableFuture.completedFuture(change(tag, replaced, why, from, to));
    ofEach(
        1,
        tag ->
            RedisFailures.await(
                new LimitCopy(tag, next, text -> terms(Limits.parse(text)), changes).carryOut(),
                Duration.ZERO));
  }

  private Reply change(int tag, String replaced, String why, Terms until, Terms next) {
    Address address = address(tag);
    List<String> arguments =
        ScriptArguments.change(replaced, address.check(), settings.label(), why, until, next);
    return scripts.carryOut(Script.CHANGE, address, arguments).of(0, 0);
  }

  /** Does something to each tag; one that has no record yet gets one, as a call would begin it. */
  void control(String what, String why, String value) {
    ofEach(
        0,
        tag -> {
          if (each.get(tag).equals(SeenTag.NOTHING)) {
            Terms all = terms(Limits.parse(some.limit()));
            change(tag, "", why, all, all);
          }
          control(tag, what, why, value);
        });
  }

  /**
   * Ends the fence that was seen in each tag, and no other: one that begins meanwhile, as a server
   * takes over, is for what was not known then. A tag without a record has yet to begin one.
   */
  void unfence(String why) {
    ofEachKnown(status -> true, tag -> control(tag, "unfence", why, each.get(tag).epoch()));
  }

  /** Forgets a replica in each tag that names it. */
  void forget(String replica, String why) {
    List<String> replicas = status().replicas();
    if (!replicas.contains(replica)) {
      throw new IllegalArgumentException(
          "the limit " + name + " has no replica " + replica + "; it has " + replicas);
    }
    ofEachKnown(
        status -> status.replicas().contains(replica), tag -> control(tag, "forget", why, replica));
  }

  private void ofEachKnown(Predicate<SharedLimitStatus> condition, Consumer<Integer> step) {
    ofEach(
        0,
        tag -> {
          SeenTag seen = each.get(tag);
          seen.requireRead();
          if (seen.status() != null && condition.test(seen.status())) {
            step.accept(tag);
          }
        });
  }

  private void control(int tag, String what, String why, String value) {
    Address address = address(tag);
    scripts.carryOut(
        Script.CONTROL, address, List.of(address.check(), settings.label(), why, what, value));
  }

  private void ofEach(int first, Consumer<Integer> step) {
    RedisException failure = null;
    var left = new ArrayList<Integer>();
    for (int tag : IntStream.range(first, tags.count()).toArray()) {
      try {
        step.accept(tag);
      } catch (RedisException e) {
        failure = failure == null ? e : failure;
        left.add(tag);
      } catch (LimitFormatException e) {
        failure = failure == null ? unusable(e) : failure;
        left.add(tag);
      }
    }
    if (failure != null) {
      throw tags.count() == 1 ? failure : partly(left, failure);
    }
  }

  private RedisException partly(List<Integer> left, RedisException failure) {
    int done = tags.count() - left.size();
    String where = "it is done for " + done + " of " + tags.count() + " tags, and not for ";
    String why = Causes.ofScript(Causes.of(failure));
    return new RedisException(
        where + StatusOfTags.text(left) + ": " + why + ". Repeat it", failure);
  }

  private Terms terms(Limit limit) {
    return Terms.of(limit, settings.partition());
  }

  private Address address(int tag) {
    return new Address(name, tag, tags.record(tag), null, check());
  }

  private String check() {
    KeyHash hash = settings.hash();
    if (!some.hasKeys()) {
      return "";
    } else if (hash == null) {
      throw new IllegalArgumentException(
          name + " is the limit of keys: set the secret of its processes");
    }
    return tags.check(hash.check(name));
  }
}
