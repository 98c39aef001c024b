package dev.pacegate.okhttp;

import okhttp3.Request;
import okhttp3.Response;

/** Asks OkHttp's cache alone, as what it has stored must neither wait nor be counted. */
final class StoredResponse {

  private static final String CACHE_CONTROL = "Cache-Control";
  private static final int GATEWAY_TIMEOUT = 504; // by RFC 9111, section 5.2.1.7

  private StoredResponse() {}

  /** Returns the request that sends nothing. */
  static Request lookUp(Request request) {
    return request.newBuilder().addHeader(CACHE_CONTROL, "only-if-cached").build();
  }

  /** Returns whether the cache has nothing that it may give without asking the peer. */
  static boolean isMissing(Response response) {
    return response.code() == GATEWAY_TIMEOUT
        && response.cacheResponse() == null
        && response.networkResponse() == null;
  }

  /** Gives the response the request, of a stored redirect perhaps, with the caller's headers. */
  static Response asAsked(Response response, Request caller) {
    Request.Builder asked = response.request().newBuilder().removeHeader(CACHE_CONTROL);
    for (String value : caller.headers(CACHE_CONTROL)) {
      asked.addHeader(CACHE_CONTROL, value);
    }
    return response.newBuilder().request(asked.build()).build();
  }
}
