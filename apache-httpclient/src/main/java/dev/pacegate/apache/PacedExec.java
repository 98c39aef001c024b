package dev.pacegate.apache;

import dev.pacegate.adapter.InterceptedCall;
import dev.pacegate.adapter.RequestPacing;
import java.io.IOException;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChain.Scope;
import org.apache.hc.core5.concurrent.CancellableDependency;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.io.entity.EntityUtils;

/** The two handlers of a paced client. */
record PacedExec(RequestPacing<ClassicHttpRequest, ClassicHttpResponse> pacing) {

  /** One call of the user, above redirects and HttpClient's retries. */
  ClassicHttpResponse call(ClassicHttpRequest request, Scope scope, ExecChain chain)
      throws IOException, HttpException {
    var own = scope.originalRequest instanceof CancellableDependency it ? it : null;
    var runtime = new PacedRuntime(scope.execRuntime, pacing, own, false);
    var paced =
        new Scope(
            scope.exchangeId, scope.route, scope.originalRequest, runtime, scope.clientContext);
    InterceptedCall<ClassicHttpRequest, ClassicHttpResponse> call = runtime.call;
    Header[] headers = request.getHeaders();
    try {
      while (true) {
        ClassicHttpResponse response = chain.proceed(request, paced);
        runtime.received(response);
        if (!call.shouldRetry()) {
          return response;
        }
        EntityUtils.consume(response.getEntity());
        response.close();
        request.setHeaders(headers); // without those that the client has added
      }
    } catch (Throwable failure) {
      call.failed(failure);
      runtime.discardEndpoint();
      if (failure instanceof IOException io) {
        throw InterceptedCall.reported(io);
      }
      throw failure;
    }
  }

  /** One request, below all of that and above the connection. */
  ClassicHttpResponse send(ClassicHttpRequest request, Scope scope, ExecChain chain)
      throws IOException, HttpException {
    if (!(scope.execRuntime instanceof PacedRuntime runtime) || !runtime.isOf(pacing)) {
      return chain.proceed(request, scope); // wrapped by another handler: it waits when it is sent
    }
    Header[] headers = request.getHeaders();
    while (true) {
      runtime.prepare(request, scope.clientContext);
      ClassicHttpResponse response;
      try {
        response = chain.proceed(request, scope);
      } finally {
        runtime.call.withdraw();
      }
      if (!runtime.call.shouldRetry()) {
        return response;
      }
      EntityUtils.consume(response.getEntity());
      request.setHeaders(headers);
    }
  }
}
