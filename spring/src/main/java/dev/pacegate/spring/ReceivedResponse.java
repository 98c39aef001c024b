package dev.pacegate.spring;

import dev.pacegate.adapter.PacedRequest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.web.reactive.function.BodyExtractors;
import org.springframework.web.reactive.function.client.ClientResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A response whose body ends the permit. */
final class ReceivedResponse {

  /** Of a response that goes no further so much is read, to keep the connection. */
  private static final int MOST_DRAINED = 64 * 1024;

  private static final Duration LONGEST_DRAIN = Duration.ofSeconds(1);

  private final ClientResponse response;
  private final PacedRequest<PeerResponse> request;
  private final Runnable handOn;
  private final PeerResponse read;

  /** Makes one; {@code handOn} tells that the body, once read, ends the permit by itself. */
  ReceivedResponse(ClientResponse response, PacedRequest<PeerResponse> request, Runnable handOn) {
    this.response = response;
    this.request = request;
    this.handOn = handOn;
    this.read = new PeerResponse(response.statusCode(), response.headers().asHttpHeaders());
  }

  /** Reports the response; returns the caller's, or that of {@code again}. */
  Mono<ClientResponse> callers(Mono<ClientResponse> again) {
    Flux<DataBuffer> body = tracked();
    try {
      request.headers(read.status().value(), read.map());
    } catch (Throwable failure) {
      return failed(body, failure);
    }
    if (request.shouldRetry()) {
      return drained(body).then(again);
    }
    return request.shouldCollect()
        ? collected(body).flatMap(all -> callers(all, again))
        : callers(body, again);
  }

  private Mono<ClientResponse> callers(Flux<DataBuffer> body, Mono<ClientResponse> again) {
    try {
      request.received(read);
    } catch (Throwable failure) {
      return failed(body, failure);
    }
    if (request.shouldRetry()) {
      return drained(body).then(again);
    }
    Flux<DataBuffer> handedOn = body.doOnSubscribe(reading -> handOn.run());
    return Mono.just(response.mutate().body(unread -> handedOn).build());
  }

  /** A function of the user has thrown. */
  private Mono<ClientResponse> failed(Flux<DataBuffer> body, Throwable failure) {
    request.failed(failure);
    return drained(body).then(Mono.error(failure));
  }

  private Flux<DataBuffer> tracked() {
    return response
        .body(BodyExtractors.toDataBuffers())
        .doOnNext(this::read)
        .doOnComplete(request::bodyEnded)
        .doOnError(failure -> request.aborted())
        .doOnCancel(request::aborted);
  }

  private void read(DataBuffer buffer) {
    try (var parts = buffer.readableByteBuffers()) {
      parts.forEachRemaining(request::bodyPart);
    }
    if (request.shouldCopy()) {
      byte[] bytes = bytes(buffer);
      read.add(bytes, 0, bytes.length);
    }
  }

  private static byte[] bytes(DataBuffer buffer) {
    byte[] bytes = new byte[buffer.readableByteCount()];
    buffer.toByteBuffer(ByteBuffer.wrap(bytes));
    return bytes;
  }

  /** Waits for the body, if it is not too long to be kept; what is longer is still to come. */
  private static Mono<Flux<DataBuffer>> collected(Flux<DataBuffer> body) {
    var size = new AtomicLong();
    return body.map(ReceivedResponse::moved)
        .bufferUntil(bytes -> size.addAndGet(bytes.length) >= PeerResponse.MOST_BYTES)
        .switchOnFirst((first, lists) -> Flux.just(joined(lists)), false)
        .single();
  }

  /** Pooled buffers would leak if the caller read none. */
  private static byte[] moved(DataBuffer buffer) {
    byte[] bytes = bytes(buffer);
    DataBufferUtils.release(buffer);
    return bytes;
  }

  private static Flux<DataBuffer> joined(Flux<List<byte[]>> lists) {
    return lists
        .concatMapIterable(Function.identity())
        .map(DefaultDataBufferFactory.sharedInstance::wrap);
  }

  private static Mono<Void> drained(Flux<DataBuffer> body) {
    var size = new AtomicLong();
    return body.takeUntil(buffer -> size.addAndGet(buffer.readableByteCount()) >= MOST_DRAINED)
        .doOnNext(DataBufferUtils::release)
        .take(LONGEST_DRAIN)
        .onErrorComplete()
        .then();
  }
}
