import type { ClassModel, TextForm } from '@entia/core'
import type { OrderBy } from '@entia/core/internal'
import type { Projection } from '@entia/engine'
import { type OrderSql, orderSql } from '../translate/order-sql.ts'
import { rootPlace } from '../translate/place.ts'
import type { CallerFilters } from './caller-filters.ts'
import { type RecordScope, type RecordSql, recordSql, type ShownSql } from './record-sql.ts'
import { textSql } from './text-sql.ts'

/**
 * The pieces of statements that many requests share, built once: what a page shows, and its order.
 * A piece is known by the object that it is built from, which does not change, and is forgotten
 * with it. Callers with row filters have pieces of their own, built for each request.
 */
export class StatementCache {
  readonly #texts = new WeakMap<TextForm, ShownSql<string> | null>()
  readonly #records = new WeakMap<Projection, KnownRecord>()
  readonly #orders = new WeakMap<OrderBy, OrderSql | null>()

  /** See `textSql`. */
  text(scope: RecordScope, filters: CallerFilters, dataClass: ClassModel, form: TextForm) {
    const build = () => textSql(scope, rootPlace(scope.model, dataClass), dataClass, form)
    return filters.restrictsRows ? build() : known(this.#texts, form, build)
  }

  /** See `recordSql`. */
  record(scope: RecordScope, filters: CallerFilters, projection: Projection): RecordSql | null {
    const { model, relatedTop } = scope
    const build = () => recordSql(scope, rootPlace(model, projection.dataClass), projection)
    if (filters.restrictsRows) return build()
    let known = this.#records.get(projection)
    if (known?.relatedTop !== relatedTop) {
      known = { relatedTop, record: build() }
      this.#records.set(projection, known)
    }
    return known.record
  }

  /** See `orderSql`. */
  order(
    { model }: Pick<RecordScope, 'model'>,
    { restrictsRows, rowsOf }: CallerFilters,
    dataClass: ClassModel,
    orderBy: OrderBy,
  ): OrderSql | null {
    const build = () => orderSql(model, dataClass, orderBy, rowsOf)
    return restrictsRows || orderBy.length === 0 ? build() : known(this.#orders, orderBy, build)
  }
}

/** The number of related entities that a page shows is a value of the statement. */
interface KnownRecord {
  readonly relatedTop: number
  readonly record: RecordSql | null
}

function known<K extends object, V>(pieces: WeakMap<K, V>, key: K, build: () => V): V {
  let piece = pieces.get(key)
  if (piece === undefined) {
    piece = build()
    pieces.set(key, piece)
  }
  return piece
}
