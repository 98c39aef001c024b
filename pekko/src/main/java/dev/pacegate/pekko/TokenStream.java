package dev.pacegate.pekko;

import java.util.function.ToLongFunction;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.FanInShape2;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Graph;
import org.apache.pekko.stream.SourceShape;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.GraphDSL;

/**
 * Flows that pass elements on as another stream grants tokens for them: for peers that tell how
 * much may be sent.
 *
 * <pre>{@code
 * frames.via(TokenStream.byCost(credits, frame -> frame.length()));
 * }</pre>
 *
 * <p>Each element costs tokens, 1 unless a function says otherwise, and is passed on when that many
 * are available. At most one element waits. Tokens are requested, even without demand, whenever
 * there are none or too few for the waiting element. Unused tokens are kept; sums saturate at
 * {@link Long#MAX_VALUE}.
 *
 * <p><b>Ends.</b> The stream completes when there is no element left, or when the token stream has
 * completed and there are no tokens, or too few for the waiting element, which is then dropped. It
 * fails at once when either input does. It fails with {@link IllegalArgumentException} if a grant
 * is negative.
 *
 * <p><b>Cost.</b> The function is called once per element. If it throws, or returns a negative
 * cost, the supervision strategy decides: stop fails the stream with that error, resume and restart
 * both skip the element.
 */
public final class TokenStream {

  private TokenStream() {}

  /** Returns a flow whose elements cost 1 token of {@code tokens} each. */
  public static <T, M> Flow<T, T, M> of(Graph<SourceShape<Long>, M> tokens) {
    return byCost(tokens, element -> 1);
  }

  /** As {@link #of(Graph)}, at the cost that {@code cost} returns, 0 or more. */
  public static <T, M> Flow<T, T, M> byCost(
      Graph<SourceShape<Long>, M> tokens, ToLongFunction<? super T> cost) {
    return Flow.fromGraph(
        GraphDSL.create(
            tokens,
            (builder, source) -> {
              FanInShape2<T, Long, T> stage = builder.add(TokenStream.<T>graph(cost));
              builder.from(source).toInlet(stage.in1());
              return FlowShape.of(stage.in0(), stage.out());
            }));
  }

  /** Returns the stage itself: elements come in at {@code in0}, tokens at {@code in1}. */
  public static <T> Graph<FanInShape2<T, Long, T>, NotUsed> graph(ToLongFunction<? super T> cost) {
    return new TokenStage<>(cost);
  }
}
