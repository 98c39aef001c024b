import org.jspecify.annotations.NullMarked;

/** Senders, ways and peers in virtual time. */
@NullMarked
module dev.pacegate.simulator {
  requires transitive dev.pacegate;
  requires static transitive org.jspecify;
  requires java.xml;
  requires org.snakeyaml.engine;

  exports dev.pacegate.simulator;
}
