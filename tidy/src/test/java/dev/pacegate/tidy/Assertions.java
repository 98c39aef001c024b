package dev.pacegate.tidy;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A test asserts something: it calls {@code assertX}, {@code fail} or the like, or throws an {@code
 * AssertionError}; or it calls a method of the test sources that does.
 *
 * <p>Calls are resolved by names. A call of a type's method means the methods of that name in that
 * type, a call without a receiver those of the same file or of the types it extends or imports
 * from, any other call those of the module's test sources in types that the file names.
 */
final class Assertions {

  private final Map<String, List<TestCalls>> ofType = new HashMap<>();
  private final Map<String, List<TestCalls>> ofModule = new HashMap<>();
  private final List<TestCalls> all = new ArrayList<>();

  private Assertions() {}

  static List<String> judge(Sources sources) {
    var judge = new Assertions();
    for (SourceFile file : sources.java()) {
      if (file.isTest() || file.module().equals("stress")) {
        judge.collect(file);
      }
    }
    judge.spread();
    var red = new ArrayList<String>();
    for (TestCalls method : judge.all) {
      if (method.test && !method.asserts) {
        red.add(method.at + method.name + " asserts nothing: assert what it proves");
      }
    }
    return red;
  }

  private void collect(SourceFile file) {
    var types = new HashSet<String>();
    int first = all.size();
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitClass(ClassTree type, Void none) {
        types.add(type.getSimpleName().toString());
        return super.visitClass(type, null);
      }

      @Override
      public Void visitMethod(MethodTree method, Void none) {
        var calls = new TestCalls(file, method);
        all.add(calls);
        ofModule.computeIfAbsent(calls.key(file.module()), key -> new ArrayList<>()).add(calls);
        return super.visitMethod(method, null);
      }
    }.scan(file.unit(), null);
    types.remove("");
    for (TestCalls calls : all.subList(first, all.size())) {
      types.forEach(
          type -> ofType.computeIfAbsent(calls.key(type), key -> new ArrayList<>()).add(calls));
    }
  }

  /** Marks callers of what asserts until no more are found. */
  private void spread() {
    boolean more = true;
    while (more) {
      more = false;
      for (TestCalls method : all) {
        if (!method.asserts && method.calls.stream().anyMatch(call -> asserts(method, call))) {
          method.asserts = true;
          more = true;
        }
      }
    }
  }

  private boolean asserts(TestCalls from, TestCalls.Call call) {
    Set<String> types = call.receiver().isEmpty() ? from.scope : Set.of(call.receiver());
    boolean known = false;
    for (String type : types) {
      List<TestCalls> callees = ofType.getOrDefault(type + "." + call.name(), List.of());
      known |= !callees.isEmpty();
      if (callees.stream().anyMatch(callee -> callee.asserts)) {
        return true;
      }
    }
    return !known
        && !call.isOfType()
        && ofModule.getOrDefault(from.module + "." + call.name(), List.of()).stream()
            .anyMatch(callee -> callee.asserts && from.words.contains(callee.type));
  }
}
