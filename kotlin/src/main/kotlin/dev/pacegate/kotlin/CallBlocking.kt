package dev.pacegate.kotlin

import dev.pacegate.Job
import dev.pacegate.Limiter
import dev.pacegate.limit.Cost
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/**
 * `Limiter.call` for code without coroutines: blocks the thread until there is a permit. Kotlin has
 * no checked exceptions and cannot infer the exception type of `Limiter.call`.
 *
 * @throws InterruptedException if the thread is interrupted while it waits; nothing has been charged
 * @throws dev.pacegate.RefusedException if no permit can be had within [maxWait]
 */
public fun <T> Limiter.callBlocking(
    cost: Cost = Cost.ONE,
    maxWait: Duration = Duration.INFINITE,
    block: () -> T,
): T = call(cost, maxWait.toJavaDuration(), Job<T, Exception> { block() })
