package dev.pacegate.engine;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The keys of one keyed limiter, as far as the limiter around them steers them. */
public interface KeyGroup {

  /** Ends the pauses of single keys. */
  void resumeKeys();

  /** Refers to a group without keeping it from being collected, as an entry of a list. */
  final class WeakGroup<G extends KeyGroup> extends WeakReference<G> {

    private @Nullable WeakGroup<?> next;

    public WeakGroup(G group) {
      super(group);
    }

    /** Puts this before those of a list whose groups have not been collected. */
    void putBefore(@Nullable WeakGroup<?> list) {
      WeakGroup<?> last = this;
      for (WeakGroup<?> each = list; each != null; each = each.next) {
        if (each.get() != null) {
          last.next = each;
          last = each;
        }
      }
      last.next = null;
    }

    /** Returns the groups of a list. */
    static List<KeyGroup> groups(@Nullable WeakGroup<?> list) {
      var groups = new ArrayList<KeyGroup>();
      for (WeakGroup<?> each = list; each != null; each = each.next) {
        KeyGroup group = each.get();
        if (group != null) {
          groups.add(group);
        }
      }
      return groups;
    }
  }
}
