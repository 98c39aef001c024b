package dev.pacegate.proxy;

import dev.pacegate.adapter.RequestPacing;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerRequest;

/**
 * What all requests to an upstream share.
 *
 * @param log takes a line for each refusal and each failure
 */
record Way(
    Vertx vertx,
    Upstream upstream,
    UpstreamClient client,
    RequestPacing<HttpServerRequest, HttpClientResponse> pacing,
    ProxySettings settings,
    ClientWaits waits,
    ClientMemory memory,
    Rejections rejections,
    LogThread log) {}
