package dev.pacegate.proxy;

import io.vertx.core.Vertx;

/**
 * What all requests share.
 *
 * @param log takes a line for each refusal and each failure
 */
record Way(
    Vertx vertx,
    SilenceSweep sweep,
    Routing routing,
    UpstreamClients clients,
    ProxySettings settings,
    ClientWaits waits,
    ClientMemory memory,
    Rejections rejections,
    LogThread log) {}
