import { type AnyDataStore, isEntiaError, type Untyped } from '@entia/core'
import type { Served } from '@entia/engine'
import { createRestHandler, type RestHandler, type RestOptions } from '@entia/rest'
import { expect, test } from 'vitest'
import { Random } from '../../../core/test/differential/random.ts'
import { createClubPorts } from '../commands/club-ports.ts'
import { comparableText } from '../commands/compare.ts'
import { describeDatabases } from '../database.ts'
import { openCopy, openCopyIn } from '../engine/sql-host.ts'
import { filterOf } from './draw-filter.ts'
import { type DrawnModel, drawModel } from './draw-model.ts'
import { type DrawnRequest, drawRequest } from './draw-request.ts'

/** Models of one run; with `ENTIA_RUNS` further ones follow. Each has a schema of its own. */
const MODELS = Math.max(1, Math.round(12 * Number(process.env.ENTIA_RUNS ?? 1)))
const REQUESTS = 100
const seed = Number(process.env.ENTIA_SEED ?? 1)

/** What a request shows, without what another store of the same contents may have. */
interface Shown {
  readonly status: number
  readonly type: string | undefined
  readonly text: string
  /** The errors of code of the application, and of the engine. */
  readonly failures: number
}

/** Handlers that answer in turn, and the sets and uploads that a caller has kept. */
class Side {
  #failures = 0
  readonly #handlers: readonly RestHandler[]
  readonly #kept = new Map<string, string>()
  #requests = 0

  constructor(stores: readonly (AnyDataStore | Served)[], options: RestOptions) {
    const onError = (error: unknown): void => {
      if (!isEntiaError(error)) this.#failures++
    }
    this.#handlers = stores.map((store) => createRestHandler(store, { ...options, onError }))
  }

  async shown({ method, path, body, as, keep }: DrawnRequest): Promise<Shown> {
    this.#failures = 0
    const url = this.#filled(`/rest/${path}`)
    const handler = this.#handlers[this.#requests++ % this.#handlers.length]!
    const reply = await handler.handle({
      method,
      url,
      remoteAddress: '127.0.0.1',
      headers: {
        host: 'drawn.example',
        ...(as !== undefined && { 'x-caller': as }),
        ...(body instanceof Uint8Array && { 'content-type': 'image/gif' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? this.#filled(body) : body }),
    })
    const given = typeof reply.body === 'string' ? reply.body : Buffer.from(reply.body).toString()
    if (keep !== undefined && reply.status === 200 && given.startsWith('{')) {
      const { ID, __ENTITYSET } = JSON.parse(given)
      if (__ENTITYSET ?? ID) this.#kept.set(keep, __ENTITYSET ?? ID)
    }
    // Entries of the log can have each other's keys: after-hooks of functions run later over SQL.
    const entries = path.startsWith('Log?') ? given.replace(/"__KEY":"\d+",/g, '') : given
    return {
      status: reply.status,
      type: reply.headers['content-type'],
      text: comparableText(entries, `${method} ${url}`).replace(/0{20}[\dA-F]{12}/gi, 'id'),
      failures: this.#failures,
    }
  }

  #filled(text: string): string {
    return text
      .replace(/\{id:(\w+)\}/g, (_, name) => this.#kept.get(name)?.split('/').at(-1) ?? UNKNOWN)
      .replace(/\/rest\/\{(\w+)\}/g, (_, name) => this.#kept.get(name) ?? UNKNOWN_SET)
      .replaceAll('{upload}', () => this.#kept.get('upload') ?? UNKNOWN)
  }
}
const UNKNOWN = '0'.repeat(32)
const UNKNOWN_SET = `/rest/T0/$entityset/${UNKNOWN}`

/** Rules of rows, also along relations, and hidden attributes for one caller. */
function rulesOf(random: Random, model: DrawnModel, store: AnyDataStore): RestOptions {
  const rules = new Map<string, boolean | { filter: string; parameters: readonly unknown[] }>()
  const isRule = (name: string, filter: string, parameters: readonly unknown[]): boolean => {
    try {
      const rows = { [name]: { filter, parameters } }
      return (store.view({ rows }) as Untyped).dataClass(name).all().count >= 0
    } catch {
      return false
    }
  }
  for (const each of model.classes) {
    for (const action of ['read', 'create', 'update', 'delete', 'lock']) {
      const { text, parameters } = filterOf(random, model, each)
      if (random.chance(0.04)) rules.set(`${each.name} ${action}`, false)
      else if (random.chance(0.35) && isRule(each.name, text, parameters))
        rules.set(`${each.name} ${action}`, { filter: text, parameters })
    }
    for (const { name } of each.attributes)
      if (random.chance(0.08)) rules.set(`${each.name}.${name}`, false)
  }
  return {
    identify: ({ header }) => (header('x-caller') === 'ann' ? { userName: 'ann' } : null),
    authorize: ({ user, dataClass, action, attribute }) => {
      if (user === null) return true
      const of = attribute === undefined ? ` ${action}` : `.${attribute}`
      return (rules.get(`${dataClass}${of}`) ?? true) as Untyped
    },
  }
}

describeDatabases('random models', { on: 'one' }, (database) => {
  test.each(Array.from({ length: MODELS }, (_, at) => seed + at))(
    'rules, hooks, functions, batches and sets answer as in memory: model %i',
    async (number) => {
      const random = new Random(number, 1)
      const model = drawModel(random)
      const [own, other] = [createClubPorts(), createClubPorts()]
      let memory: AnyDataStore
      try {
        memory = model.create(own.ports)
      } catch (error) {
        if (isEntiaError(error)) return
        throw error
      }
      memory.on('error', () => {})
      const origin = model.create(other.ports)
      const options = { onError: () => {} }
      const schema = database.newSchema()
      const one = await openCopy(origin, database.pool, schema, options)
      const two = await openCopyIn(origin, database.pool, schema, options)
      const rules = rulesOf(random, model, memory)
      const expected = new Side([memory], rules)
      const found = new Side([one, two], rules)
      const contents = [...model.classes, { name: 'Log', keyName: 'text' }].map(
        ({ name, keyName }) => ({
          method: 'GET',
          path: `${name}?$orderby=${keyName}&$top=10000`,
        }),
      )
      for (const request of [
        ...Array.from({ length: REQUESTS }, () => drawRequest(random, model)),
        ...contents,
      ]) {
        const wanted = await expected.shown(request)
        const shown = await found.shown(request)
        other.ids.continueAfter(own.ids)
        // Texts that PostgreSQL cannot store or index: nothing is stored.
        if (shown.text.includes('"errCode":9032') && wanted.status < 300) return
        expect({ request, model: model.text, ...shown }).toEqual({
          request,
          model: model.text,
          ...wanted,
        })
      }
      memory.close()
      origin.close()
    },
  )
})
