package dev.pacegate.ktor

import io.ktor.client.engine.HttpClientEngineConfig
import io.ktor.client.engine.okhttp.OkHttpConfig
import java.io.IOException
import java.util.Collections
import java.util.WeakHashMap
import okhttp3.Call
import okhttp3.Interceptor
import okhttp3.Response

/** Keeps OkHttp from sending a request again by itself. */
internal object OkHttpOnce {

    private const val RETRY_AFTER = "Retry-After"
    private const val HIDDEN = "Pacegate-Retry-After"

    /**
     * Clients that are made by this engine from now on heed that; the engine makes the first one when
     * it sends its first request.
     */
    fun sendOnce(config: HttpClientEngineConfig) {
        (config as OkHttpConfig).config {
            retryOnConnectionFailure(false)
            interceptors().add(0, Shown)
            networkInterceptors().add(0, Once())
            addNetworkInterceptor(Hidden)
        }
    }

    /** An authenticator, or a connection that was shared by mistake, may still repeat a request. */
    private class Once : Interceptor {
        private val sent = Collections.newSetFromMap(Collections.synchronizedMap(WeakHashMap<Call, Boolean>()))

        override fun intercept(chain: Interceptor.Chain): Response {
            if (!sent.add(chain.call())) {
                throw IOException(
                    "OkHttp was about to repeat a request without a permit of its own: let Ktor repeat it," +
                        " by Auth or HttpRequestRetry in place of an authenticator of OkHttp"
                )
            }
            return chain.proceed(chain.request())
        }
    }

    /** OkHttp repeats at once what got 503 with `Retry-After: 0`, and no option prevents that. */
    private object Hidden : Interceptor {
        override fun intercept(chain: Interceptor.Chain): Response = rename(chain, RETRY_AFTER, HIDDEN)
    }

    private object Shown : Interceptor {
        override fun intercept(chain: Interceptor.Chain): Response = rename(chain, HIDDEN, RETRY_AFTER)
    }

    private fun rename(chain: Interceptor.Chain, from: String, to: String): Response {
        val response = chain.proceed(chain.request())
        val value = response.header(from) ?: return response
        return response.newBuilder().removeHeader(from).header(to, value).build()
    }
}
