package dev.pacegate.kotlin

import dev.pacegate.Limiter
import dev.pacegate.limit.Cost
import dev.pacegate.limit.Limit
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.transform

/**
 * Emits each element as soon as there is a permit for it. Upstream is asked for the next element
 * after that. A cancelled flow gives up its place. Flows that share [limiter] take turns.
 *
 * What is limited is when elements go on, so [limiter] must count starts, as `10/1s` does. For a
 * limit that counts until the answer is in, such as `peer(10/1s)` or `concurrent(4)`, take the permit
 * where the request is made: `map { element -> limiter.withPermit { send(element) } }`.
 *
 * @param cost what an element costs
 * @throws IllegalArgumentException if [limiter] counts until the answer is in
 */
public fun <T> Flow<T>.paced(limiter: Limiter, cost: (T) -> Cost = { Cost.ONE }): Flow<T> {
    limiter.limits().forEach(::requireStarts)
    return transform { element ->
        limiter.awaitPermit(cost(element)).use { permit ->
            permit.sending()
            emit(element)
            permit.answered()
        }
    }
}

private fun requireStarts(limit: Limit) {
    require(!limit.countsWhole()) {
        "$limit counts an element until it is answered, but paced ends a permit when the element has" +
            " been emitted: use map { limiter.withPermit { … } }, or a limit of starts such as 10/1s"
    }
}
