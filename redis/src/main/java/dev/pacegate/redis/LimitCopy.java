package dev.pacegate.redis;

import io.lettuce.core.RedisException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Copies the limit of the first tag to another: it looks which limit that has, then which the first
 * has, and then replaces what it saw, until both are the same. Of two that do so at once, the one
 * that has seen the earlier limit of the first finds another in the place of what it saw: so none
 * undoes a later change, and no order of changes leaves the tags apart.
 *
 * @param tag to which it is copied
 * @param known the limit of all keys, for a record that has yet to begin
 * @param terms returns those of a limit by its text
 */
record LimitCopy(int tag, Terms known, Function<String, Terms> terms, Changes changes) {

  private static final int MOST_ROUNDS = 10; // each but the last was overtaken by another change

  /** Changes the limit of a tag. */
  interface Changes {

    /**
     * Replaces a limit, by its revision, or looks which it is if that is empty.
     *
     * @return the reply, which tells the limit in force
     */
    CompletableFuture<Reply> change(int tag, String replaced, Terms until, Terms next);
  }

  /** Copies the limit, and returns what the first tag told last. */
  CompletableFuture<Reply> carryOut() {
    return CompletableFuture.allOf().thenCompose(start -> round(MOST_ROUNDS));
  }

  private CompletableFuture<Reply> round(int left) {
    if (left == 0) {
      throw new RedisException("others change the limit again and again");
    }
    return look(tag)
        .thenCompose(
            seen ->
                look(0)
                    .thenCompose(
                        first ->
                            seen.limit().equals(first.limit())
                                ? CompletableFuture.completedFuture(first)
                                : replace(seen, first).thenCompose(done -> round(left - 1))));
  }

  private CompletableFuture<Reply> look(int of) {
    return changes.change(of, "", known, known);
  }

  private CompletableFuture<Reply> replace(Reply seen, Reply first) {
    return changes.change(
        tag, seen.revision(), terms.apply(seen.limit()), terms.apply(first.limit()));
  }
}
