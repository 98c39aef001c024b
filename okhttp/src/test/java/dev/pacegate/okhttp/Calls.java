package dev.pacegate.okhttp;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Response;

/** Calls that are enqueued. */
final class Calls {

  private Calls() {}

  /** Returns the text of the response, or the failure that the callback got. */
  static CompletableFuture<String> enqueue(Call call) {
    var text = new CompletableFuture<String>();
    call.enqueue(
        new Callback() {
          @Override
          public void onFailure(Call call, IOException failure) {
            text.completeExceptionally(failure);
          }

          @Override
          public void onResponse(Call call, Response response) {
            try (response) {
              text.complete(response.body().string());
            } catch (IOException broken) {
              text.completeExceptionally(broken);
            }
          }
        });
    return text;
  }
}
