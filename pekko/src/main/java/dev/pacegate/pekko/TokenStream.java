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
 * Passes elements on as another stream grants tokens for them: for programs that are told by a peer
 * how much they may send.
 *
 * <pre>{@code
 * frames.via(TokenStream.of(credits, frame -> frame.length()));
 * }</pre>
 *
 * <p>Each element costs tokens, 1 unless a function says otherwise, and is passed on when there are
 * that many. At most one element waits. Tokens are asked for, also without demand, whenever there
 * are none or too few for the element that waits; what is not used is kept, sums saturate at {@link
 * Long#MAX_VALUE}.
 *
 * <p><b>Ends.</b> The stream completes when there is no element left, or when tokens have completed
 * and there are none, or too few for the element that waits, which is then dropped. It fails at
 * once when either input does. It fails with {@link IllegalArgumentException} if a grant is
 * negative.
 *
 * <p><b>Cost.</b> Called once per element. If the function throws, or its answer is negative, the
 * supervision strategy decides: stop fails the stream with that error, resume and restart both skip
 * the element.
 */
public final class TokenStream {

  private TokenStream() {}

  /** Returns a flow whose elements cost 1 token of {@code tokens} each. */
  public static <T, M> Flow<T, T, M> of(Graph<SourceShape<Long>, M> tokens) {
    return of(tokens, element -> 1);
  }

  /** As {@link #of(Graph)}, at the cost that {@code cost} says, 0 or more. */
  public static <T, M> Flow<T, T, M> of(
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
