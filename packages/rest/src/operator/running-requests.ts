import type { Session } from '@entia/core'
import type { Engine, StopSign } from '@entia/engine'
import type { Address, PathPart } from '../request/address.ts'
import type { RequestHead } from '../request/request.ts'
import { type Observed, observedEngine } from '../slow/observed-engine.ts'
import { planLines, shapeOf, shortened, withoutValues } from '../slow/shapes.ts'

/** A request that is being answered. It contains no values of filters and no keys. */
interface RunningInfo {
  /** Of this handler, ascending. */
  readonly id: number
  readonly method: string
  /** Below the base path, without values: `/Employee(…)/employer`. */
  readonly path: string
  /** Null for a guest. */
  readonly user: { readonly ID: string; readonly userName: string } | null
  /** As the host reports it; empty if unknown. */
  readonly remoteAddress: string
  readonly milliseconds: number
  /** What the engine does for it: `page`, `aggregates` …; null before and after. */
  readonly operation: string | null
  /** The dataclass; of a function, its name. */
  readonly name: string | null
  /** The filter with `?` in place of its values. */
  readonly filter: string | null
  readonly orderBy: string | null
  /** False for requests that change something and for functions: they run to their end. */
  readonly canStop: boolean
  readonly isStopped: boolean
}

type Head = Pick<RequestHead, 'address' | 'changesState'>

const RUN_TO_THEIR_END: ReadonlySet<string | undefined> = new Set(['save', 'deletion', 'function'])

/** What is known of a request when it begins. */
interface Begun {
  readonly id: number
  readonly method: string
  readonly head: Head
  readonly session: Session | null
  readonly remoteAddress: string
  /** By the monotonic clock. */
  readonly began: number
}

/** One request that is being answered, and the sign that stops it. */
export class RunningRequest implements StopSign {
  readonly begun: Begun
  /** The last call of the engine. */
  call: Observed<never> | null = null
  isStopped = false
  readonly #listeners = new Set<() => void>()

  constructor(begun: Begun) {
    this.begun = begun
  }

  get canStop(): boolean {
    return !this.begun.head.changesState && !RUN_TO_THEIR_END.has(this.call?.operation)
  }

  onStop(stopped: () => void): () => void {
    this.#listeners.add(stopped)
    return () => this.#listeners.delete(stopped)
  }

  stop(): void {
    this.isStopped = true
    for (const stopped of [...this.#listeners]) stopped()
    this.#listeners.clear()
  }
}

/** The requests that a handler is answering. Cost of each: an object and an entry of a map. */
export class RunningRequests {
  /** The engine, whose calls are noted. */
  readonly engine: Engine
  readonly #inner: Engine
  readonly #monotonic: () => number
  readonly #running = new Map<number, RunningRequest>()
  #lastId = 0

  constructor(engine: Engine, monotonic: () => number) {
    this.#inner = engine
    this.#monotonic = monotonic
    this.engine = observedEngine(engine, (observed, call) => {
      const { stop } = observed.caller
      if (stop instanceof RunningRequest) stop.call = observed
      return call()
    })
  }

  begin(
    method: string,
    head: Head,
    session: Session | null,
    remoteAddress: string,
  ): RunningRequest {
    const id = ++this.#lastId
    const began = this.#monotonic()
    const request = new RunningRequest({ id, method, head, session, remoteAddress, began })
    this.#running.set(id, request)
    return request
  }

  end(request: RunningRequest): void {
    this.#running.delete(request.begun.id)
  }

  find(id: number): RunningRequest | undefined {
    return this.#running.get(id)
  }

  /** Those that have run for the longest time first. */
  list(): readonly RunningInfo[] {
    return Array.from(this.#running.values(), (request) => this.#describe(request))
  }

  /**
   * How the engine would find the selection of a request now, a line for each operator; null
   * without one. Over a database one round trip, which may wait as the request does.
   */
  async planOf({ call }: RunningRequest): Promise<readonly string[] | null> {
    if (call === null || call.query === null) return null
    const plan = await this.#inner.observation.planOf(call.query, call.caller).catch(() => null)
    return plan && planLines(plan.root)
  }

  #describe(request: RunningRequest): RunningInfo {
    const { begun, call, canStop, isStopped } = request
    const { id, method, head, session, remoteAddress, began } = begun
    const { observation } = this.#inner
    const milliseconds = Math.round(this.#monotonic() - began)
    const query = call?.query ?? null
    const found = query === null ? null : observation.conditionOf(query, call!.caller)
    const user = session?.user ?? null
    return {
      id,
      method,
      path: pathOf(head.address),
      user: user && { ID: user.ID, userName: user.userName ?? '' },
      remoteAddress,
      milliseconds,
      operation: call?.operation ?? null,
      name: call?.name() ?? null,
      filter: found === null ? null : shapeOf(withoutValues(found)),
      orderBy: query?.orderBy == null ? null : shortened(query.orderBy),
      canStop,
      isStopped,
    }
  }
}

/** The path of a request without the values in it: `/Employee(…)/employer`. */
function pathOf(address: Address): string {
  switch (address.kind) {
    case 'data': {
      const { dataClass, selector, parts } = address
      return `/${dataClass}${selector === null ? '' : '(…)'}${parts.map(partOf).join('')}`
    }
    case 'directory':
      return `/$directory/${address.command}`
    case 'singleton':
      return `/$singleton/${address.singleton}/${address.functionName}`
    case 'releaseSets':
      return '/$entityset/$release'
    case 'liveQuery':
      return '/$live/…'
    case 'health':
      return `/$health/${address.of}`
    case 'replica':
      return address.part === 'stream' ? '/$replica' : '/$replica/batches'
    default:
      return `/$${address.kind}`
  }
}

const partOf = (part: PathPart): string =>
  part.kind === 'entitySet' ? '/$entityset/…' : `/${part.names.join(',')}`
