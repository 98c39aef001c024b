package dev.pacegate.adapter.tck;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.HostKey;
import dev.pacegate.adapter.MessageReader;
import dev.pacegate.adapter.PacedCall;
import dev.pacegate.adapter.PacedRequest;
import dev.pacegate.adapter.PacingOptions;
import dev.pacegate.adapter.RequestPacing;
import java.io.IOException;
import java.io.InputStream;
import java.net.Authenticator;
import java.net.HttpURLConnection;
import java.net.PasswordAuthentication;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** An adapter of {@link HttpURLConnection}, right or with one mistake. */
final class UrlConnectionClient implements ClientUnderTest {

  /** What an author of an adapter may get wrong. */
  enum Mistake {
    NONE,
    THE_CLIENT_FOLLOWS_REDIRECTS,
    THE_CLIENT_AUTHENTICATES,
    THE_END_IS_FORGOTTEN,
    FAILURES_ARE_FORGOTTEN,
    FAILURES_ARE_REFUNDED,
    FAILURES_ARE_ANSWERED,
    NOT_SENT_IS_LOST,
    THE_PERMIT_ENDS_BEFORE_THE_BODY,
    RESPONSES_ARE_NOT_HEARD,
    CANCELLED_CALLS_STAY_IN_THE_QUEUE
  }

  private record Reply(int status, Map<String, List<String>> headers, InputStream body) {}

  private static final class Messages implements MessageReader<URI, Reply> {
    @Override
    public String host(URI request) {
      return HostKey.of(request);
    }

    @Override
    public String method(URI request) {
      return "GET";
    }

    @Override
    public int status(Reply response) {
      return response.status();
    }

    @Override
    public Map<String, List<String>> headers(Reply response) {
      return response.headers();
    }
  }

  private static final class Options extends PacingOptions<URI, Reply, Options> {
    Options() {
      super(new Messages());
    }

    RequestPacing<URI, Reply> built() {
      return pacing();
    }
  }

  private final Mistake mistake;
  private final RequestPacing<URI, Reply> pacing;

  UrlConnectionClient(Limiter limiter, Mistake mistake) {
    this.mistake = mistake;
    Options options = new Options().limiter(limiter);
    this.pacing =
        (is(Mistake.RESPONSES_ARE_NOT_HEARD) ? options.withoutFeedback() : options).built();
  }

  private boolean is(Mistake which) {
    return mistake == which;
  }

  @Override
  public ClientCall newCall(String method, URI target, Duration timeout) {
    return new Call(method, target, (int) timeout.toMillis());
  }

  private final class Call implements ClientCall {
    private final String method;
    private final URI first;
    private final int timeout;

    // Guarded by this.
    private @Nullable Thread waiting;
    private @Nullable HttpURLConnection connection;
    private boolean cancelled;

    Call(String method, URI first, int timeout) {
      this.method = method;
      this.first = first;
      this.timeout = timeout;
    }

    @Override
    public int execute() throws Exception {
      PacedCall<URI, Reply> call = pacing.newCall();
      URI target = first;
      while (true) {
        PacedRequest<Reply> request = acquire(call, target);
        Reply reply = exchange(request, target);
        String location = reply.headers().getOrDefault("Location", List.of("")).get(0);
        if (reply.status() / 100 != 3) {
          return reply.status();
        }
        target = target.resolve(location);
      }
    }

    private PacedRequest<Reply> acquire(PacedCall<URI, Reply> call, URI target)
        throws IOException, InterruptedException {
      begins(Thread.currentThread());
      try {
        return call.acquire(target);
      } finally {
        begins(null);
      }
    }

    private synchronized void begins(@Nullable Thread thread) {
      waiting = thread;
      if (cancelled && thread != null) {
        throw new CancellationException();
      }
    }

    /** One request, to the end of its body. */
    private Reply exchange(PacedRequest<Reply> request, URI target) throws IOException {
      try {
        HttpURLConnection open = opened(target);
        request.sending();
        Reply reply = send(open);
        if (is(Mistake.THE_PERMIT_ENDS_BEFORE_THE_BODY)) {
          request.bodyEnded();
        }
        if (reply.status() / 100 == 3) {
          request.headers(reply.status(), reply.headers());
          request.superseded();
        } else {
          request.received(reply);
        }
        boolean forgotten = is(Mistake.THE_END_IS_FORGOTTEN);
        try (InputStream body = forgotten ? reply.body() : request.body(reply.body())) {
          body.readAllBytes();
        }
        return reply;
      } catch (Throwable failure) {
        failed(request, failure);
        throw failure;
      }
    }

    private void failed(PacedRequest<Reply> request, Throwable failure) {
      switch (mistake) {
        case FAILURES_ARE_FORGOTTEN -> {}
        case FAILURES_ARE_REFUNDED -> request.notSent();
        case FAILURES_ARE_ANSWERED -> {
          request.bodyEnded();
          request.superseded();
        }
        case NOT_SENT_IS_LOST -> request.aborted();
        default -> request.failed(failure);
      }
    }

    private HttpURLConnection opened(URI target) throws IOException {
      var open = (HttpURLConnection) target.toURL().openConnection();
      open.setInstanceFollowRedirects(is(Mistake.THE_CLIENT_FOLLOWS_REDIRECTS));
      open.setRequestMethod(method);
      open.setReadTimeout(timeout);
      if (is(Mistake.THE_CLIENT_AUTHENTICATES)) {
        open.setAuthenticator(aUser());
      }
      synchronized (this) {
        connection = open;
        if (cancelled) {
          throw new CancellationException();
        }
      }
      return open;
    }

    private Reply send(HttpURLConnection open) throws IOException {
      if (method.equals("POST")) {
        open.setDoOutput(true);
        open.getOutputStream().write("body".getBytes(StandardCharsets.US_ASCII));
      }
      int status = open.getResponseCode();
      InputStream body = status < 400 ? open.getInputStream() : open.getErrorStream();
      return new Reply(
          status, open.getHeaderFields(), body == null ? InputStream.nullInputStream() : body);
    }

    @Override
    public void cancel() {
      HttpURLConnection open;
      synchronized (this) {
        if (waiting != null && !is(Mistake.CANCELLED_CALLS_STAY_IN_THE_QUEUE)) {
          waiting.interrupt();
        }
        cancelled = true;
        open = connection;
      }
      if (open != null) {
        open.disconnect();
      }
    }
  }

  private static Authenticator aUser() {
    return new Authenticator() {
      @Override
      protected PasswordAuthentication getPasswordAuthentication() {
        return new PasswordAuthentication("me", new char[] {'x'});
      }
    };
  }
}
