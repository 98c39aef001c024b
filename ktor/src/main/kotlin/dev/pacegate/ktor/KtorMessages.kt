package dev.pacegate.ktor

import dev.pacegate.adapter.HostKey
import dev.pacegate.adapter.MessageReader
import io.ktor.client.request.HttpRequestData
import io.ktor.http.content.OutgoingContent
import io.ktor.util.toMap

/** Reads Ktor's requests and responses. */
internal object KtorMessages : MessageReader<HttpRequestData, PeerResponse> {

    override fun host(request: HttpRequestData): String {
        val url = request.url
        val isDefault = url.port == url.protocol.defaultPort
        return HostKey.of(if (isDefault) url.host else "${url.host}:${url.port}")
    }

    override fun method(request: HttpRequestData): String = request.method.value

    override fun isRepeatable(request: HttpRequestData): Boolean = isRepeatable(request.body)

    /** A channel may be read only once. */
    private fun isRepeatable(body: OutgoingContent): Boolean =
        when (body) {
            is OutgoingContent.NoContent,
            is OutgoingContent.ByteArrayContent,
            is OutgoingContent.WriteChannelContent -> true
            is OutgoingContent.ContentWrapper -> isRepeatable(body.delegate())
            else -> false
        }

    override fun status(response: PeerResponse): Int = response.status.value

    override fun headers(response: PeerResponse): Map<String, List<String>> =
        response.headers.toMap()
}
