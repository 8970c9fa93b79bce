import { createRestHandler } from '@entia/rest'
import type { ConformanceCase, Step } from './case.ts'
import { conformanceCases } from './cases/index.ts'
import { differenceOf, memberOf, replyProblem } from './check.ts'
import type { Fill } from './expect.ts'
import type { ConformanceHost, HostReply, OpenHost } from './host.ts'
import { CookieJar, isJson, requestOf, textOf } from './message.ts'
import { createPorts } from './ports.ts'

/** The result of one case; `problem` is null if it is `ok`. */
export interface ConformanceResult {
  readonly id: number | string
  readonly title: string
  readonly ok: boolean
  readonly problem: string | null
}

const HOST_NAME = 'conformance.example'
const CLIENT_ADDRESS = '127.0.0.1'

/**
 * The host that others are compared with: it calls the handler directly.
 *
 * @example
 * ```ts
 * import { conformanceCases, runCase } from '@entia/testing/conformance'
 * const { ok } = await runCase(referenceHost(), conformanceCases[0]!)
 * ok // → true
 * ```
 */
export function referenceHost(clientAddress: string = CLIENT_ADDRESS): ConformanceHost {
  return {
    open(store, options) {
      const rest = createRestHandler(store, options)
      return {
        request: (request) => rest.handle({ ...request, remoteAddress: clientAddress }),
        close: () => {},
      }
    },
  }
}

/**
 * Runs cases against a host, one after the other, each on a store of its own. `cases` defaults to
 * all cases. Resolves to one result per case, in order; it never rejects because of the host.
 *
 * @example
 * ```ts
 * import { conformanceCases, referenceHost } from '@entia/testing/conformance'
 * const results = await runConformance(referenceHost(), { cases: conformanceCases.slice(0, 2) })
 * results.map(({ ok }) => ok) // → [ true, true ]
 * ```
 */
export async function runConformance(
  host: ConformanceHost,
  { cases = conformanceCases }: { readonly cases?: readonly ConformanceCase[] } = {},
): Promise<readonly ConformanceResult[]> {
  const results: ConformanceResult[] = []
  for (const each of cases) results.push(await runCase(host, each))
  return results
}

/**
 * Sends the requests of a case to the host and to the reference, on equal stores. The replies must
 * match the expectations of the case and each other byte for byte.
 *
 * @example
 * ```ts
 * import { conformanceCases, referenceHost } from '@entia/testing/conformance'
 * const { ok } = await runCase(referenceHost(), conformanceCases[0]!)
 * ok // → true
 * ```
 */
export async function runCase(
  host: ConformanceHost,
  conformanceCase: ConformanceCase,
): Promise<ConformanceResult> {
  const { id, title } = conformanceCase
  const problem = await problemOfCase(host, conformanceCase).catch(
    (error: unknown) =>
      `the host failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  )
  return { id, title, ok: problem === null, problem }
}

async function problemOfCase(
  host: ConformanceHost,
  conformanceCase: ConformanceCase,
): Promise<string | null> {
  const tested = await Dialogue.open(host, conformanceCase, HOST_NAME)
  try {
    const reference = await Dialogue.open(
      referenceHost(tested.clientAddress),
      conformanceCase,
      tested.hostName,
    )
    for (const [at, step] of conformanceCase.steps.entries()) {
      const wanted = await reference.send(step)
      const { reply, problem } = await tested.send(step)
      const found = problem ?? differenceOf(reply, wanted.reply, host)
      if (found !== null) return `step ${at + 1}, ${step.send}: ${found}`
    }
    await reference.close()
    return null
  } finally {
    await tested.close()
  }
}

/** One host with one store, and the state of its clients. */
class Dialogue {
  static async open(
    host: ConformanceHost,
    { fixture, options }: ConformanceCase,
    defaultName: string,
  ): Promise<Dialogue> {
    const { ports, advance } = createPorts()
    const store = fixture.create(ports)
    const open = await host.open(store, { ...fixture.options, ...options })
    return new Dialogue(open, open.name ?? defaultName, advance, () => store.close())
  }

  readonly hostName: string
  readonly clientAddress: string
  readonly #host: OpenHost
  readonly #advance: (seconds: number) => void
  readonly #closeStore: () => void
  readonly #jars = new Map<string, CookieJar>()
  readonly #kept = new Map<string, string>()

  constructor(
    host: OpenHost,
    hostName: string,
    advance: (seconds: number) => void,
    closeStore: () => void,
  ) {
    this.#host = host
    this.hostName = hostName
    this.clientAddress = host.clientAddress ?? CLIENT_ADDRESS
    this.#kept.set('host', hostName)
    this.#advance = advance
    this.#closeStore = closeStore
  }

  async send(step: Step): Promise<{ readonly reply: HostReply; readonly problem: string | null }> {
    if (step.after !== undefined) this.#advance(step.after)
    const jar = step.as === undefined ? new CookieJar() : this.#jarOf(step.as)
    const reply = await this.#host.request(
      requestOf(step, this.#fill, { host: this.hostName, cookie: jar.header }),
    )
    jar.take(reply.headers['set-cookie'])
    const json = jsonOf(reply)
    for (const [name, path] of Object.entries(step.keep ?? {})) this.#keep(name, path, json)
    if (reply.headers.etag !== undefined) this.#kept.set('etag', reply.headers.etag)
    return { reply, problem: replyProblem(step, reply, json, this.#fill) }
  }

  async close(): Promise<void> {
    await this.#host.close()
    this.#closeStore()
  }

  #jarOf(name: string): CookieJar {
    const jar = this.#jars.get(name) ?? new CookieJar()
    this.#jars.set(name, jar)
    return jar
  }

  #keep(name: string, path: string, json: unknown): void {
    const value = path.split('.').reduce(memberOf, json)
    if (value !== undefined) this.#kept.set(name, String(value))
  }

  readonly #fill: Fill = (text) =>
    text.replace(/\{(\w+)(\.id)?\}/g, (whole, name: string, isId: string | undefined) => {
      const value = this.#kept.get(name)
      if (value === undefined) return whole
      return isId === undefined ? value : value.slice(value.lastIndexOf('/') + 1)
    })
}

/** Undefined for a body that is not JSON. */
function jsonOf(reply: HostReply): unknown {
  if (!isJson(reply)) return undefined
  try {
    return JSON.parse(textOf(reply))
  } catch {
    return undefined
  }
}
