package dev.pacegate.ktor

import dev.pacegate.adapter.PacingOptions
import dev.pacegate.adapter.RequestPacing
import io.ktor.client.request.HttpRequestData
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/**
 * The options of [PacedKtor]. Functions get the request as the engine does, and the response as a
 * [PeerResponse]. Not thread-safe.
 *
 * The functions of `settle` and `refused` get each response but a redirect, also one that
 * `HttpRequestRetry` or `Auth` follows up.
 */
public class PacedKtorConfig internal constructor() :
    PacingOptions<HttpRequestData, PeerResponse, PacedKtorConfig>(KtorMessages) {

    /** As [maxWait], with a duration of Kotlin. */
    public fun maxWait(maxWait: Duration): PacedKtorConfig = maxWait(maxWait.toJavaDuration())

    internal fun build(): RequestPacing<HttpRequestData, PeerResponse> = pacing()
}
