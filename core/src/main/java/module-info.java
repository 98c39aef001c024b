/**
 * Limits the rate at which a program sends, so that the limit of the other side is never passed.
 */
module dev.pacegate {
  requires static jdk.jfr; // its events are recorded where the program has it
  requires static org.jspecify;

  exports dev.pacegate;
  exports dev.pacegate.adapter;
  exports dev.pacegate.audit;
  exports dev.pacegate.context;
  exports dev.pacegate.dispatch;
  exports dev.pacegate.feedback;
  exports dev.pacegate.limit;
  exports dev.pacegate.limit.spi;
  exports dev.pacegate.time;
}
