package dev.pacegate.tidy;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreeScanner;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/** What a method of the test sources calls, and whether it is known to assert something. */
final class TestCalls {

  /** What asserts by its name: JUnit's, Reactor's and Pekko's methods do. */
  private static final Pattern ASSERTS =
      Pattern.compile("(?:assert|fail|verify|expect)(?:[A-Z].*)?");

  /** What ends a test as failed, or as skipped, when it is thrown. */
  private static final Set<String> ENDS =
      Set.of("AssertionError", "AssertionFailedError", "SkipException");

  /** Whose {@code check} asserts. */
  private static final Set<String> CHECKERS = Set.of("LinChecker", "ArchRule");

  /**
   * A call: the name of the type it is of, "" if it has no receiver, "?" if its receiver is a
   * value.
   */
  record Call(String receiver, String name) {
    boolean isOfType() {
      return !receiver.isEmpty() && Character.isUpperCase(receiver.charAt(0));
    }
  }

  final String module;
  final String type;
  final String at;
  final String name;
  final Set<Call> calls = new HashSet<>();

  /** The types whose methods can be called without a receiver. */
  final Set<String> scope = new HashSet<>();

  /** The words of its file: a value that it calls has a type that they name. */
  final Set<String> words;

  boolean asserts;
  final boolean test;

  TestCalls(SourceFile file, MethodTree method) {
    module = file.module();
    at = file.at(method);
    name = method.getName().toString();
    test = TestMethods.isTest(method);
    type = file.simpleName();
    words = file.words();
    file.unit().accept(new Scope(), null);
    method.accept(new Body(), null);
  }

  String key(String owner) {
    return owner + "." + name;
  }

  private static String last(String name) {
    return name.replaceAll("<.*", "").replaceAll(".*\\.", "");
  }

  /** Finds the types of a file, and those it extends and imports methods from. */
  private final class Scope extends TreeScanner<Void, Void> {
    @Override
    public Void visitClass(ClassTree type, Void none) {
      scope.add(type.getSimpleName().toString());
      if (type.getExtendsClause() != null) {
        scope.add(last(type.getExtendsClause().toString()));
      }
      type.getImplementsClause().forEach(face -> scope.add(last(face.toString())));
      return super.visitClass(type, null);
    }

    @Override
    public Void visitImport(ImportTree imported, Void none) {
      if (imported.isStatic()
          && imported.getQualifiedIdentifier() instanceof MemberSelectTree from) {
        scope.add(last(from.getExpression().toString()));
      }
      return null;
    }

    @Override
    public Void visitMethod(MethodTree method, Void none) {
      return null;
    }
  }

  private final class Body extends TreeScanner<Void, Void> {
    @Override
    public Void visitMethodInvocation(MethodInvocationTree call, Void none) {
      ExpressionTree select = call.getMethodSelect();
      if (select instanceof MemberSelectTree of) {
        add(of.getExpression(), of.getIdentifier().toString());
      } else if (select instanceof IdentifierTree own) {
        called("", own.getName().toString());
      }
      return super.visitMethodInvocation(call, null);
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree reference, Void none) {
      add(reference.getQualifierExpression(), reference.getName().toString());
      return super.visitMemberReference(reference, null);
    }

    @Override
    public Void visitNewClass(NewClassTree made, Void none) {
      String type = last(made.getIdentifier().toString());
      if (ENDS.contains(type)) {
        asserts = true;
      }
      called(type, "<init>");
      return super.visitNewClass(made, null);
    }

    private void add(Tree receiver, String method) {
      String of = receiver.toString();
      asserts |= of.equals("super") && method.equals(name); // the test of a library, run in our way
      if (of.equals("this") || of.equals("super")) {
        called("", method);
      } else {
        called(last(of).matches("[A-Z]\\w*") ? last(of) : "?", method);
      }
    }

    private void called(String receiver, String method) {
      asserts |= ASSERTS.matcher(method).matches();
      asserts |= method.equals("check") && CHECKERS.stream().anyMatch(words::contains);
      calls.add(new Call(receiver, method));
    }
  }
}
