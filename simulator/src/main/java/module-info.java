/** Simulates senders, networks and peers in virtual time. */
module dev.pacegate.simulator {
  requires transitive dev.pacegate;
  requires static org.jspecify;
  requires java.xml;
  requires org.snakeyaml.engine;

  exports dev.pacegate.simulator;
  exports dev.pacegate.simulator.estimate;
}
