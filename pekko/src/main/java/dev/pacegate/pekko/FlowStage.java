package dev.pacegate.pekko;

import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.stage.GraphStage;

/**
 * A stage of one inlet and one outlet.
 *
 * @param <I> the type of elements that come in
 * @param <O> the type of elements that go out
 */
abstract class FlowStage<I, O> extends GraphStage<FlowShape<I, O>> {

  final Inlet<I> in;
  final Outlet<O> out;
  private final FlowShape<I, O> shape;
  private final Attributes attributes;

  /** Names the stage after its public class. */
  FlowStage(String name) {
    this.in = Inlet.create(name + ".in");
    this.out = Outlet.create(name + ".out");
    this.shape = FlowShape.of(in, out);
    this.attributes = Attributes.name("pacegate" + name);
  }

  @Override
  public final FlowShape<I, O> shape() {
    return shape;
  }

  @Override
  public final Attributes initialAttributes() {
    return attributes;
  }
}
