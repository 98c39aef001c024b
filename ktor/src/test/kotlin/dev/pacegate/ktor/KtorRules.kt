package dev.pacegate.ktor

import dev.pacegate.Limiter
import dev.pacegate.adapter.tck.AdapterRules
import dev.pacegate.adapter.tck.ClientCall
import dev.pacegate.adapter.tck.ClientFeature
import dev.pacegate.adapter.tck.ClientUnderTest
import dev.pacegate.adapter.tck.Comparison
import dev.pacegate.adapter.tck.HttpVersion
import io.ktor.client.HttpClient
import io.ktor.client.HttpClientConfig
import io.ktor.client.engine.HttpClientEngineFactory
import io.ktor.client.engine.cio.CIO
import io.ktor.client.engine.java.Java
import io.ktor.client.engine.java.JavaHttpConfig
import io.ktor.client.engine.okhttp.OkHttp
import io.ktor.client.engine.okhttp.OkHttpConfig
import io.ktor.client.plugins.HttpRequestRetry
import io.ktor.client.plugins.HttpTimeout
import io.ktor.client.plugins.timeout
import io.ktor.client.request.request
import io.ktor.client.request.setBody
import io.ktor.client.statement.HttpResponse
import io.ktor.client.statement.bodyAsText
import io.ktor.http.HttpMethod
import java.net.URI
import java.net.http.HttpClient as JdkClient
import java.nio.file.Path
import java.time.Duration
import java.util.EnumSet
import kotlin.io.path.readText
import kotlin.io.path.writeText
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.future.future
import okhttp3.Protocol
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test

/** Ktor's client with its plugins for retries, time-outs and credentials, installed after the pacing. */
internal abstract class KtorRules : AdapterRules() {

    abstract fun engine(version: HttpVersion): HttpClientEngineFactory<*>

    override fun features(): Set<ClientFeature> = EnumSet.allOf(ClientFeature::class.java)

    override fun paced(limiter: Limiter, version: HttpVersion): ClientUnderTest =
        using(HttpClient(engine(version)) { all { install(PacedKtor) { limiter(limiter) } } })

    override fun unpaced(version: HttpVersion): ClientUnderTest =
        using(HttpClient(engine(version)) { all {} })

    private fun HttpClientConfig<*>.all(pacing: HttpClientConfig<*>.() -> Unit) {
        pacing()
        install(HttpTimeout)
        install(PermitsTest.CREDENTIALS)
        install(HttpRequestRetry) {
            retryOnExceptionOrServerErrors(maxRetries = 1)
            delayMillis { 1 }
        }
    }

    private fun using(client: HttpClient) =
        object : ClientUnderTest {
            override fun newCall(method: String, target: URI, timeout: Duration): ClientCall =
                ClientCall.ofFuture(
                    {
                        CoroutineScope(Dispatchers.Default).future {
                            client.send(method, target, timeout).also { it.bodyAsText() }
                        }
                    },
                    { response -> response.status.value },
                )

            override fun close() = client.close()
        }

    private suspend fun HttpClient.send(method: String, target: URI, timeout: Duration): HttpResponse =
        request(target.toString()) {
            this.method = HttpMethod(method)
            if (method == "POST") setBody("body")
            timeout { requestTimeoutMillis = timeout.toMillis() }
        }
}

/** CIO has a connection for each request, and speaks HTTP/1.1 only. */
internal class AdapterRulesTest : KtorRules() {

    override fun engine(version: HttpVersion): HttpClientEngineFactory<*> = CIO

    override fun features(): Set<ClientFeature> =
        EnumSet.of(
            ClientFeature.REDIRECTS,
            ClientFeature.AUTHENTICATION,
            ClientFeature.STATUS_RETRIES,
        )

    /** With `-Dpacegate.write=true` the table is measured and written. */
    @Test
    @Tag("pages")
    fun `the page tells each case`() {
        if (java.lang.Boolean.getBoolean("pacegate.write")) {
            val measured = comparison() // before the page is read, which other modules write, too
            PAGE.writeText(measured.into(PAGE.readText(), HEADING))
        }
        val rows = Comparison.`in`(PAGE.readText(), HEADING).rows()
        assertEquals(cases(), rows.map { it.name() })
        rows.forEach { assertFalse("**" in it.adapter(), "$it") }
    }

    private companion object {
        val PAGE: Path = Path.of("..", "docs", "measured", "adapters.md")
        const val HEADING = "## Ktor"
    }
}

/** The build sets the property that keeps the JDK from repeating requests. */
internal class JavaEngineTest : KtorRules() {

    override fun engine(version: HttpVersion): HttpClientEngineFactory<*> =
        object : HttpClientEngineFactory<JavaHttpConfig> by Java {
            override fun create(block: JavaHttpConfig.() -> Unit) =
                Java.create {
                    protocolVersion =
                        if (version == HttpVersion.HTTP_2) JdkClient.Version.HTTP_2 else JdkClient.Version.HTTP_1_1
                    block()
                }
        }
}

internal class OkHttpEngineTest : KtorRules() {

    override fun engine(version: HttpVersion): HttpClientEngineFactory<*> =
        object : HttpClientEngineFactory<OkHttpConfig> by OkHttp {
            override fun create(block: OkHttpConfig.() -> Unit) =
                OkHttp.create {
                    if (version == HttpVersion.HTTP_2) {
                        config { protocols(listOf(Protocol.H2_PRIOR_KNOWLEDGE)) }
                    }
                    block()
                }
        }
}
