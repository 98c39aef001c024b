package dev.pacegate.cli;

import dev.pacegate.audit.Audit;
import dev.pacegate.audit.Report;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import java.util.ArrayList;
import java.util.List;

/** Calls that wrote to an output one after another, and what a limit says of them. */
final class WriteCalls {

  /** A call that wrote so many bytes between its entry and its return. */
  private record Call(long entry, long returned, long bytes) {}

  private final List<Call> calls = new ArrayList<>();

  void add(long entry, long returned, long bytes) {
    calls.add(new Call(entry, returned, bytes));
  }

  void clear() {
    calls.clear();
  }

  int count() {
    return calls.size();
  }

  /**
   * Judges each line of {@code output} as a request from the entry of the call that wrote its first
   * byte to the return of the call that wrote its last.
   */
  Report lines(String limit, byte[] output) {
    var audit = Audit.of(Limits.parse(limit));
    forEachLine(output, (entry, returned) -> audit.add(entry, returned, Cost.ONE));
    return audit.report();
  }

  /** Receives when a line began to be written, and when it was. */
  interface LineSink {
    void add(long entry, long returned);
  }

  /** Passes on each line of {@code output}, which these calls wrote. */
  void forEachLine(byte[] output, LineSink sink) {
    var begin = new Cursor();
    var end = new Cursor();
    int first = 0;
    for (int i = 0; i < output.length; i++) {
      if (output[i] == '\n' || i == output.length - 1) {
        sink.add(begin.at(first).entry, end.at(i).returned);
        first = i + 1;
      }
    }
  }

  /** Judges each call as a request that costs its bytes. */
  Report bytes(String limit) {
    var audit = Audit.of(Limits.parse(limit));
    calls.forEach(call -> audit.add(call.entry, call.returned, Cost.of(call.bytes)));
    return audit.report();
  }

  /** Finds the calls of bytes that come in order. */
  private final class Cursor {
    private int call;
    private long before; // bytes that earlier calls wrote

    Call at(long offset) {
      while (offset >= before + calls.get(call).bytes) {
        before += calls.get(call++).bytes;
      }
      return calls.get(call);
    }
  }
}
