/** A request of the engine that took long. It contains no values of filters. */
export interface SlowRequest {
  readonly operation:
    | 'entity'
    | 'page'
    | 'aggregates'
    | 'distinct values'
    | 'groups'
    | 'save'
    | 'deletion'
    | 'function'
  /** The dataclass; of a function, its name. */
  readonly name: string
  /** The filter with `?` in place of its values; null without one. */
  readonly filter: string | null
  /** At most 200 characters. */
  readonly orderBy: string | null
  readonly milliseconds: number
  /** Entities that the filter selects; null for requests other than pages. */
  readonly found: number | null
  /** Entities that were answered, saved or deleted; null if that is not known. */
  readonly shown: number | null
  /** Over a database: its round trips, their time, and the time until there was a connection. */
  readonly database: {
    readonly roundTrips: number
    readonly milliseconds: number
    readonly waitMilliseconds: number
  } | null
  /** How the engine would find the selection now, a line for each operator; null if unknown. */
  readonly plan: readonly string[] | null
  /** The code of the error that it ended in; null for an answer. */
  readonly error: string | null
  /** Slow requests since the last report that were not reported. */
  readonly omitted: number
}

export interface SlowOptions {
  /** A request that takes this long is slow. */
  readonly milliseconds: number
  /**
   * Called with a slow request, at most once per second: the others are counted. The plan is asked
   * for after the answer.
   */
  readonly report?: (request: SlowRequest) => void
}

/** A slow request as lines for a log. */
export function slowText(request: SlowRequest): string {
  const { operation, name, filter, orderBy, milliseconds, found, shown, database } = request
  const facts = [
    `${Math.round(milliseconds)} ms`,
    ...(shown === null ? [] : [`${shown} entities${found === null ? '' : ` of ${found}`}`]),
    ...(database === null
      ? []
      : [
          `${database.roundTrips} round trips of ${Math.round(database.milliseconds)} ms`,
          `${Math.round(database.waitMilliseconds)} ms waiting for connections`,
        ]),
    ...(request.error === null ? [] : [`error ${request.error}`]),
    ...(request.omitted === 0 ? [] : [`${request.omitted} more slow requests before`]),
  ]
  return [
    `Slow ${operation} of ${name}: ${facts.join(', ')}`,
    ...(filter === null ? [] : [`  filter ${filter}`]),
    ...(orderBy === null ? [] : [`  order by ${orderBy}`]),
    ...(request.plan ?? []).map((line) => `  ${line}`),
  ].join('\n')
}
