package dev.pacegate.ktor

import io.ktor.client.engine.HttpClientEngine
import java.util.Collections
import java.util.WeakHashMap
import java.util.concurrent.atomic.AtomicBoolean

private const val JDK_RETRIES = "jdk.httpclient.redirects.retrylimit"

private val warned = AtomicBoolean()

/** Those of engines that are kept from it. Derived clients share an engine. */
private val changed = Collections.newSetFromMap(Collections.synchronizedMap(WeakHashMap<Any, Boolean>()))

/** Below an engine nothing can be seen, so it must not repeat requests by itself. */
internal fun keepFromRepeating(engine: HttpClientEngine) {
    val config = engine.config
    when (config.javaClass.name) { // classes that may be missing
        "io.ktor.client.engine.okhttp.OkHttpConfig" -> if (changed.add(config)) OkHttpOnce.sendOnce(config)
        "io.ktor.client.engine.java.JavaHttpConfig" -> warnOfJdk()
    }
}

private fun warnOfJdk() {
    if (System.getProperty(JDK_RETRIES) != "1" && warned.compareAndSet(false, true)) {
        System.getLogger("dev.pacegate")
            .log(
                System.Logger.Level.WARNING,
                "Ktor's Java engine sends a GET again if its connection closes before the response," +
                    " with the same permit: start the program with -D$JDK_RETRIES=1" +
                    " -Djdk.httpclient.disableRetryConnect, or use another engine such as CIO",
            )
    }
}
