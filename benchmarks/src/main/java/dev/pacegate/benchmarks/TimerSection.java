package dev.pacegate.benchmarks;

import dev.pacegate.benchmarks.TimerSpeed.Readings;
import java.util.List;

/** The part of the page that is about timers. */
final class TimerSection {

  /** To schedule and to cancel takes at most so many times what the faster Netty timer takes. */
  private static final double MOST_OF_NETTY = 0.8;

  /** The median task is at most so many times as late as a thread that does nothing but park. */
  private static final double MOST_LATE = 1.2;

  private final Page page;

  TimerSection(Page page) {
    this.page = page;
  }

  void write(TimerSpeed speed, Lateness lateness, List<Idle.Row> idle) {
    page.lines(
        "",
        "## Timers",
        "",
        "What a limiter waits with: `dev.pacegate.time.WheelTimer` beside timers of Netty and of the JDK, each with one thread.",
        "Netty's runs once with its default tick of 100 ms and once with one of 1 ms, the least it takes; the JDK's removes what",
        "is cancelled (`setRemoveOnCancelPolicy(true)`), as the others do.");
    speed(speed);
    lateness(lateness);
    idle(idle);
  }

  private void speed(TimerSpeed speed) {
    page.lines(
        "",
        "### To schedule a task and to cancel it",
        "",
        "By one thread, while 1 000 or 100 000 others are pending, all of them within the same hour. Every call reads the clock.",
        "Netty's timer leaves part of the work to its own thread: it takes over what is new, and lets go of what was cancelled, at",
        "its next tick. *own thread* is the processor time that this took per call; the readings are short, and the thread has",
        "the time in between to do what was left to it (in one long loop it would fall behind). *together* is the best",
        "time of the caller and that.",
        "",
        "| pending | timer | caller: best ns | median ns | own thread ns | together ns | bytes |",
        "|--:|---|--:|--:|--:|--:|--:|");
    for (int pending : TimerSpeed.PENDING) {
      for (TimerSubject subject : TimerSubject.values()) {
        Readings readings = speed.of(subject, pending);
        page.line(
            Page.format(
                "| %s | %s | %.1f | %.1f | %.1f | %.1f | %.0f |",
                Page.number(pending),
                subject.title,
                readings.fastest(),
                readings.median(),
                readings.own(),
                readings.together(),
                readings.bytes()));
      }
    }
    page.lines(
        "",
        "**The goal:** together at most "
            + MOST_OF_NETTY
            + " times what the faster of Netty's takes.",
        "");
    for (int pending : TimerSpeed.PENDING) {
      goal(speed, pending);
    }
  }

  private void goal(TimerSpeed speed, int pending) {
    double caller = Double.MAX_VALUE;
    double together = Double.MAX_VALUE;
    for (TimerSubject subject : TimerSubject.values()) {
      if (subject.isNetty()) {
        caller = Math.min(caller, speed.of(subject, pending).fastest());
        together = Math.min(together, speed.of(subject, pending).together());
      }
    }
    Readings ours = speed.of(TimerSubject.PACEGATE, pending);
    double ratio = ours.together() / together;
    page.line(
        Page.format(
            "- %s pending: %.2f times (the caller alone %.2f times): %s",
            Page.number(pending), ratio, ours.fastest() / caller, verdict(ratio <= MOST_OF_NETTY)));
  }

  private void lateness(Lateness lateness) {
    Lateness.Row floor = lateness.floor();
    page.lines(
        "",
        "### How late tasks are",
        "",
        Page.format(
            "%s tasks, one every 2 ms or so at any distance from a tick, none ever early. Best possible without spinning is what",
            Page.number(floor.nanos().length)),
        "a thread sees that does nothing but park until the next instant.",
        "",
        "| | median us | 99 % within us | median, times the thread's |",
        "|---|--:|--:|--:|");
    late(floor, floor);
    for (TimerSubject subject : TimerSubject.values()) {
      late(lateness.of(subject), floor);
    }
    double ratio = ratio(lateness.of(TimerSubject.PACEGATE), floor);
    page.lines(
        "",
        Page.format(
            "**The goal:** the median at most %.1f times that of the parking thread: %.2f, %s",
            MOST_LATE, ratio, verdict(ratio <= MOST_LATE)));
  }

  private void late(Lateness.Row row, Lateness.Row floor) {
    page.line(
        Page.format(
            "| %s | %.0f | %.0f | %.2f |",
            row.title(), row.quantile(0.5) / 1e3, row.quantile(0.99) / 1e3, ratio(row, floor)));
  }

  private static double ratio(Lateness.Row row, Lateness.Row floor) {
    return row.quantile(0.5) / (double) floor.quantile(0.5);
  }

  private void idle(List<Idle.Row> rows) {
    page.lines(
        "",
        "### What an idle timer does",
        "",
        "Wake-ups of the timer's thread per second, as the system counts them, while there is no task, and while there is one",
        "that is not due for hours.",
        "",
        "| | without a task | with one |",
        "|---|--:|--:|");
    for (int i = 0; i < rows.size(); i += 2) {
      page.line(
          "| "
              + rows.get(i).subject().title
              + " | "
              + rate(rows.get(i))
              + " | "
              + rate(rows.get(i + 1))
              + " |");
    }
    boolean none =
        rows.stream()
            .filter(row -> row.subject() == TimerSubject.PACEGATE)
            .allMatch(row -> row.rate() == 0);
    page.lines("", "**The goal:** none: " + verdict(none));
  }

  private static String rate(Idle.Row row) {
    return row.wakeUps() == null ? "–" : Page.format("%.1f", row.rate());
  }

  private static String verdict(boolean reached) {
    return reached ? "reached." : "**missed.**";
  }
}
