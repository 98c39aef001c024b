package dev.pacegate.engine;

import dev.pacegate.PeerRefusal;
import dev.pacegate.limit.Limit;
import java.time.Duration;

/** The report of a request that the peer refused. */
record RefusedByPeer(
    String limiter, Limit limit, boolean proven, int open, long left, Duration pause)
    implements PeerRefusal {}
