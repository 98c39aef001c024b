package dev.pacegate.engine.feedback;

import dev.pacegate.PeerRefusal;
import dev.pacegate.PeerVerdict;
import dev.pacegate.limit.Limit;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The report of a request that the peer refused. */
record RefusedByPeer(
    String limiter,
    Limit limit,
    PeerVerdict verdict,
    boolean proven,
    OptionalInt open,
    OptionalLong left,
    Duration pause)
    implements PeerRefusal {}
