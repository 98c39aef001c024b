package dev.pacegate.compatibility;

import static dev.pacegate.compatibility.Verdicts.assertOutcome;

import dev.pacegate.limit.Outcome;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What gRPC's statuses say: some are always the server's, some are gRPC's own as well. */
@Timeout(60)
class GrpcTest {

  private static final class Text implements MethodDescriptor.Marshaller<String> {
    @Override
    public InputStream stream(String text) {
      return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String parse(InputStream in) {
      try {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static final MethodDescriptor<String, String> METHOD =
      MethodDescriptor.<String, String>newBuilder(new Text(), new Text())
          .setType(MethodType.UNARY)
          .setFullMethodName("peer/fail")
          .build();

  private static Server server;

  @BeforeAll
  static void open() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(
                ServerServiceDefinition.builder("peer")
                    .addMethod(METHOD, ServerCalls.asyncUnaryCall(GrpcTest::fail))
                    .build())
            .build()
            .start();
  }

  @AfterAll
  static void close() throws InterruptedException {
    server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
  }

  /** Fails with the status that is asked for; {@code OK} is never said. */
  private static void fail(String code, StreamObserver<String> answer) {
    if (!code.equals("OK")) {
      answer.onError(Status.Code.valueOf(code).toStatus().withDescription("said").asException());
    }
  }

  private static void call(int port, String code) throws InterruptedException {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    try {
      CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(50, TimeUnit.SECONDS);
      if (code.equals("OK")) {
        options = CallOptions.DEFAULT.withDeadlineAfter(300, TimeUnit.MILLISECONDS);
      }
      ClientCalls.blockingUnaryCall(channel, METHOD, options, code);
    } finally {
      channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    }
  }

  @ParameterizedTest
  @EnumSource(
      names = {"OK", "CANCELLED", "DEADLINE_EXCEEDED", "UNAVAILABLE", "INTERNAL", "UNKNOWN"},
      mode = EnumSource.Mode.EXCLUDE)
  void aCodeThatOnlyServersSendIsAnAnswer(Status.Code code) {
    assertOutcome(Outcome.ANSWERED, "gRPC " + code, () -> call(server.getPort(), code.name()));
  }

  @ParameterizedTest
  @EnumSource(names = {"CANCELLED", "DEADLINE_EXCEEDED", "UNAVAILABLE", "INTERNAL", "UNKNOWN"})
  void aCodeThatGrpcMakesItselfIsLost(Status.Code code) {
    assertOutcome(Outcome.LOST, "gRPC " + code, () -> call(server.getPort(), code.name()));
  }

  @Test
  void aDeadlineIsLost() {
    assertOutcome(Outcome.LOST, "gRPC deadline", () -> call(server.getPort(), "OK"));
  }

  @Test
  void aServerThatHangsUpIsLost() throws Exception {
    try (var peer = new Peer()) {
      int port = peer.uri("/").getPort(); // which does not speak HTTP/2
      assertOutcome(Outcome.LOST, "gRPC closed", () -> call(port, "ABORTED"));
    }
  }

  @Test
  void aRefusedConnectionIsNotSent() throws Exception {
    int port = Ports.refusing();
    assertOutcome(Outcome.NOT_SENT, "gRPC refused", () -> call(port, "ABORTED"));
  }
}
