package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import java.util.function.ToLongFunction;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FanInShape2;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.stage.AbstractInHandler;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.stream.stage.InHandler;
import org.apache.pekko.stream.stage.OutHandler;
import org.jspecify.annotations.Nullable;

/** Passes elements on for tokens: see {@link TokenStream}. */
final class TokenStage<T> extends GraphStage<FanInShape2<T, Long, T>> {

  private final Inlet<T> elements = Inlet.create("TokenStream.elements");
  private final Inlet<Long> tokens = Inlet.create("TokenStream.tokens");
  private final Outlet<T> out = Outlet.create("TokenStream.out");
  private final FanInShape2<T, Long, T> shape = new FanInShape2<>(elements, tokens, out);
  private final ToLongFunction<? super T> cost;

  TokenStage(ToLongFunction<? super T> cost) {
    this.cost = requireNonNull(cost);
  }

  @Override
  public FanInShape2<T, Long, T> shape() {
    return shape;
  }

  @Override
  public Attributes initialAttributes() {
    return Attributes.name("pacegateTokenStream");
  }

  @Override
  public GraphStageLogic createLogic(Attributes attributes) {
    return new Logic(attributes);
  }

  /** Every event ends with {@link #goOn}, which does all that can be done. */
  private final class Logic extends GraphStageLogic implements InHandler, OutHandler {

    private final StageSupervision supervision;
    private long stock;
    private @Nullable T waiting;
    private long price; // of the element that waits

    Logic(Attributes attributes) {
      super(shape);
      this.supervision = new StageSupervision(this, attributes);
      setHandlers(elements, out, this);
      setHandler(tokens, new TokenHandler());
    }

    @Override
    public void preStart() {
      goOn();
    }

    @Override
    public void onPull() {
      goOn();
    }

    @Override
    public void onPush() {
      T element = grab(elements);
      try {
        price = cost.applyAsLong(element);
        if (price < 0) {
          throw negative("cost", price);
        }
        waiting = element;
      } catch (Exception failure) {
        if (!supervision.goesOn(failure)) {
          return;
        }
      }
      goOn();
    }

    @Override
    public void onUpstreamFinish() {
      goOn();
    }

    private void goOn() {
      if (waiting != null && price <= stock && isAvailable(out)) {
        stock -= price;
        push(out, waiting);
        waiting = null;
      }
      if (isOver()) {
        completeStage();
        return;
      }
      if (waiting == null) {
        pullFrom(elements);
      }
      if (isShort()) {
        pullFrom(tokens);
      }
    }

    private boolean isOver() {
      return waiting == null ? isClosed(elements) || isOutOfTokens() : isOutOfTokens();
    }

    private boolean isOutOfTokens() {
      return isClosed(tokens) && isShort();
    }

    private boolean isShort() {
      return waiting == null ? stock == 0 : stock < price;
    }

    private void pullFrom(Inlet<?> in) {
      if (!isClosed(in) && !hasBeenPulled(in)) {
        pull(in);
      }
    }

    private final class TokenHandler extends AbstractInHandler {

      @Override
      public void onPush() {
        long granted = grab(tokens);
        if (granted < 0) {
          failStage(negative("grant of tokens", granted));
          return;
        }
        stock += Math.min(granted, Long.MAX_VALUE - stock);
        goOn();
      }

      @Override
      public void onUpstreamFinish() {
        goOn();
      }
    }
  }

  private static IllegalArgumentException negative(String what, long amount) {
    return new IllegalArgumentException("a " + what + " must not be negative: " + amount);
  }
}
