import type { Office } from './office.ts'

/** The actions of visitors. */
export interface Visits {
  sessions: number
  sets: number
  uploads: number
  commits: number
}
/** Tasks that visitors write to. */
export const TASKS = 40

const ATTRIBUTES = ['ID', 'title', 'done', 'weight', 'place'] as const
const COMPARISONS = ['weight >', 'weight <', 'place =', 'place !=', 'ID >='] as const

/**
 * One visitor, who leaves most of it behind: sessions without a logout, locks that are not given
 * back, sets that are not released, uploads that no write uses. Each request goes to any process.
 * Throws for an answer that is neither a success nor a conflict between visitors.
 */
export async function visit(
  offices: readonly Office[],
  random: () => number,
  visits: Visits,
): Promise<void> {
  const below = (limit: number): number => Math.floor(random() * limit)
  const one = <T>(list: readonly T[]): T => list[below(list.length)]!
  const remoteAddress = `10.0.0.${below(50)}`
  let cookie: string | null = null
  const ask = async (method: string, path: string, body?: unknown) => {
    const reply = await one(offices).rest.handle({
      method,
      url: `/rest/${path}`,
      headers: cookie === null ? {} : { cookie },
      remoteAddress,
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const given = reply.headers['set-cookie']?.split(';')[0]
    if (given !== undefined && given !== cookie) {
      cookie = given
      visits.sessions++
    }
    // Locked by another visitor, an evicted session, or a missing set.
    const isExpected = reply.status < 300 || [404, 409, 423, 429, 503].includes(reply.status)
    if (!isExpected) throw new Error(`${method} ${path}: ${reply.status} ${String(reply.body)}`)
    return { status: reply.status, body: JSON.parse(String(reply.body)) }
  }
  const task = 1 + below(TASKS)
  const order = `${one(ATTRIBUTES)} ${one(['asc', 'desc'])}, ${one(ATTRIBUTES)}`
  const filter = `${one(COMPARISONS)} ${below(50)} ${one(['and', 'or'])} ${one(COMPARISONS)} 7`
  const found = `$filter=${encodeURIComponent(`"${filter}"`)}&$orderby=${encodeURIComponent(order)}`
  switch (below(5)) {
    case 0: {
      await ask('GET', `Task(${task})?$lock=true`)
      await ask('POST', 'Task?$method=update', { __KEY: task, weight: below(50) }).then(counted)
      if (random() < 0.3) await ask('GET', `Task(${task})?$lock=false`)
      if (random() < 0.2) await ask('GET', '$directory/logout')
      return
    }
    case 1: {
      const timeout = random() < 0.5 ? '' : `&$timeout=${60 + below(600)}`
      const { body } = await ask('GET', `Task?${found}&$method=entityset${timeout}&$top=5`)
      visits.sets++
      const set = String(body.__ENTITYSET).replace('/rest/', '')
      await ask('GET', `${set}?$skip=5&$top=5`)
      if (random() < 0.2) await ask('GET', `${set}?$method=release`)
      return
    }
    case 2: {
      const { body } = await ask('POST', '$upload?$rawPict=true', PIXEL)
      visits.uploads++
      if (random() < 0.3)
        await ask('POST', 'Task?$method=update', { __KEY: task, photo: { ID: body.ID } }).then(
          counted,
        )
      return
    }
    case 3:
      await ask('POST', 'Task?$method=update', { __KEY: task, title: `t${below(1e6)}` }).then(
        counted,
      )
      return
    default:
      await ask('GET', `Task?${found}&$top=5`)
  }
  function counted({ status }: { readonly status: number }): void {
    if (status < 300) visits.commits++
  }
}

/** The first bytes of a GIF of one pixel. */
const PIXEL = 'GIF89a\x01\x00\x01\x00\x00\x00\x00;'
