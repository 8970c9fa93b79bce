import type { Asked, Reply } from './bank.ts'
import type { Player } from './player.ts'

/** The result of a race: the number of rounds, and a text for each violation. */
export interface RaceResult {
  readonly rounds: number
  readonly violations: readonly string[]
}

/** A race: all players send requests at the same time, in several independent lanes. */
export interface RaceOptions {
  readonly players: readonly Player[]
  readonly rounds: number
  /** Rounds at the same time. */
  readonly lanes: number
  /** True if no further round should begin: what is counted so far is the result. */
  readonly isOver: () => boolean
  /** Distinguishes the values of this run from those of others. */
  readonly seed: number
}

/** One round of one lane. */
interface Round {
  readonly asked: readonly Asked[]
  /** Looks at the answers, in the order of the players; answers what is wrong. */
  check(replies: readonly Reply[]): readonly string[] | Promise<readonly string[]>
}

/** Runs rounds; `roundOf` makes the next one of a lane. */
async function race(
  { players, rounds, lanes, isOver }: RaceOptions,
  roundOf: (lane: number, round: number) => Round | Promise<Round>,
): Promise<RaceResult> {
  const violations: string[] = []
  let count = 0
  while (count < rounds && !isOver()) {
    const size = Math.min(lanes, rounds - count)
    const each = await Promise.all(Array.from({ length: size }, (_, at) => roundOf(at, count + at)))
    const replies = await Promise.all(
      players.map((player, at) => player.ask(each.map(({ asked }) => asked[at]!))),
    )
    const found = await Promise.all(
      each.map(({ check }, lane) => check(replies.map((answers) => answers[lane]!))),
    )
    for (const [lane, list] of found.entries())
      violations.push(...list.map((text) => `round ${count + lane}: ${text}`))
    count += size
  }
  return { rounds: count, violations }
}

/**
 * Exactly one answer is 200; the others have one of `refusals` as the code of their first error.
 */
function oneWinner(replies: readonly Reply[], refusals: readonly number[]): readonly string[] {
  const winners = replies.filter(({ status }) => status === 200).length
  const wrong = winners === 1 ? [] : [`${winners} winners`]
  for (const { status, body } of replies) {
    if (status === 200) continue
    const code: unknown = body.__ERROR?.[0]?.errCode
    if (status !== 409 || !refusals.includes(code as number))
      wrong.push(`${status} ${JSON.stringify(body)}`)
  }
  return wrong
}

const firstAnswer = async (player: Pick<Player, 'ask'>, asked: Asked): Promise<Reply> =>
  (await player.ask([asked]))[0]!

/** Creates accounts and answers their keys. */
export async function createAccounts(
  player: Pick<Player, 'ask'>,
  count: number,
): Promise<readonly number[]> {
  const keys: number[] = []
  while (keys.length < count) {
    const size = Math.min(300, count - keys.length)
    const body = Array.from({ length: size }, () => ({ balance: 100 }))
    const reply = await firstAnswer(player, { method: 'POST', path: 'Account?$atomic=true', body })
    if (reply.status !== 200)
      throw new Error(`The accounts could not be created: ${JSON.stringify(reply.body)}`)
    keys.push(...reply.body.__ENTITIES.map(({ ID }: { ID: number }) => ID))
  }
  return keys
}

/** The codes of refusals: see the reference of errors. */
const STAMP_CHANGED = 1263
const UNIQUE = [1545, 9030]

/** Of several saves with one stamp exactly one succeeds. */
export async function raceForStamp(options: RaceOptions): Promise<RaceResult> {
  const accounts = await createAccounts(options.players[0]!, options.lanes)
  const stamps = accounts.map(() => 1)
  // Each save has another value, since a save that changes nothing also succeeds.
  const balanceOf = (round: number, player: number): number => 1000 + round * 10 + player
  return race(options, (lane, round) => {
    const stamp = stamps[lane]!++
    const item = (player: number): object => ({
      __KEY: `${accounts[lane]}`,
      __STAMP: stamp,
      balance: balanceOf(round, player),
    })
    const reader = options.players[round % options.players.length]!
    return {
      asked: options.players.map((_, at) =>
        (round + at) % 3 === 0
          ? { method: 'POST', path: 'Account?$atomic=true', body: [item(at)] }
          : { method: 'POST', path: 'Account', body: item(at) },
      ),
      async check(replies) {
        const { body } = await firstAnswer(reader, { path: `Account(${accounts[lane]})` })
        const winner = replies.findIndex(({ status }) => status === 200)
        const isStored = body.balance === balanceOf(round, winner) && body.__STAMP === stamp + 1
        return [
          ...oneWinner(replies, [STAMP_CHANGED]),
          ...(isStored ? [] : [`winner ${winner}, but stored is ${JSON.stringify(body)}`]),
        ]
      },
    }
  })
}

/**
 * Of several entities with one unique value exactly one is stored, new or updated. Those
 * that are refused leave no gap in the automatic sequence.
 */
export async function raceForValue(options: RaceOptions): Promise<RaceResult> {
  const { players, lanes, seed } = options
  const own = await Promise.all(players.map((player) => createAccounts(player, lanes)))
  const before = await gapsOf(players[0]!)
  const { rounds, violations } = await race(options, (lane, round) => ({
    asked: players.map((_, at) => {
      // Upper and lower case are the same value.
      const email = at % 2 === 0 ? `r${seed}.${round}` : `R${seed}.${round}`
      const isUpdate = (round + at) % 3 === 0
      return isUpdate
        ? { method: 'PUT', path: `Account(${own[at]![lane]})`, body: { email } }
        : { method: 'POST', path: 'Account', body: { email } }
    }),
    async check(replies) {
      const path = `Account?$filter="email = 'r${seed}.${round}'"`
      const { body } = await firstAnswer(players[round % players.length]!, { path })
      return [
        ...oneWinner(replies, UNIQUE),
        ...(body.__COUNT === 1 ? [] : [`${body.__COUNT} entities have the value`]),
      ]
    },
  }))
  const gaps = (await gapsOf(players[0]!)) - before
  return {
    rounds,
    violations: gaps === 0 ? violations : [...violations, `the sequence has ${gaps} gaps`],
  }
}

/** Numbers of the automatic sequence of accounts that no account has. */
async function gapsOf(player: Player): Promise<number> {
  const paths = ['Account/ID?$compute=max', 'Account/ID?$compute=count']
  const [max, count] = await player.ask(paths.map((path) => ({ path })))
  return max!.body - count!.body
}

/** Of several sessions exactly one gets a lock. */
export async function raceForLock(options: RaceOptions): Promise<RaceResult> {
  const { players, lanes } = options
  const accounts = await createAccounts(players[0]!, lanes)
  const cookies = await Promise.all(players.map((player) => sessionsOf(player, lanes)))
  return race(options, (lane) => {
    const asked = (at: number, isLock: boolean): Asked => ({
      path: `Account(${accounts[lane]})?$lock=${isLock}`,
      cookie: cookies[at]![lane]!,
    })
    return {
      asked: players.map((_, at) => asked(at, true)),
      async check(replies) {
        const winners = replies.flatMap(({ body }, at) => (body.result === true ? [at] : []))
        const others = replies.filter(({ body }) => body.result !== true)
        const wrong = others.filter(({ body }) => body.__STATUS?.status !== 3)
        const released = await Promise.all(
          winners.map((at) => firstAnswer(players[at]!, asked(at, false))),
        )
        return [
          ...(winners.length === 1 ? [] : [`${winners.length} sessions have the lock`]),
          ...wrong.map((each) => `${each.status} ${JSON.stringify(each.body)}`),
          ...released
            .filter(({ body }) => body.result !== true)
            .map(({ body }) => `not unlocked: ${JSON.stringify(body)}`),
        ]
      },
    }
  })
}

/** Sessions of guests, which a lock begins. */
async function sessionsOf(player: Player, count: number): Promise<readonly string[]> {
  const accounts = await createAccounts(player, count)
  const replies = await player.ask(accounts.map((ID) => ({ path: `Account(${ID})?$lock=true` })))
  return replies.map(({ cookie }) => cookie!)
}

/** An entity is removed with what refers to it, while others create what refers to it. */
export async function raceOfCascades(options: RaceOptions): Promise<RaceResult> {
  const { players } = options
  return race(options, async (_, round) => {
    const [account] = await createAccounts(players[round % players.length]!, 1)
    return {
      asked: players.map((_, at) =>
        at === round % players.length
          ? { method: 'DELETE', path: `Account(${account})` }
          : { method: 'POST', path: 'Line', body: { text: `${at}`, account: `${account}` } },
      ),
      async check(replies) {
        const left = await firstAnswer(players[0]!, { path: `Line?$filter="account = ${account}"` })
        const gone = await firstAnswer(players[0]!, { path: `Account(${account})` })
        const wrong = replies.filter(({ status }) => ![200, 204, 404, 409, 422].includes(status))
        return [
          ...(gone.status === 404 ? [] : [`account ${account} is there: ${gone.status}`]),
          ...(left.body.__COUNT === 0 ? [] : [`lines of ${account}: ${JSON.stringify(left.body)}`]),
          ...wrong.map((each) => `${each.status} ${JSON.stringify(each.body)}`),
        ]
      },
    }
  })
}

/** Readers see an atomic batch completely or not. */
export async function raceOfBatches(options: RaceOptions): Promise<RaceResult> {
  const { players, lanes } = options
  const accounts = await createAccounts(players[0]!, lanes * 3)
  return race(options, (lane, round) => {
    const keys = accounts.slice(lane * 3, lane * 3 + 3)
    const page = { path: `Account?$filter="ID in [${keys.join()}]"&$orderby=balance` }
    return {
      asked: players.map((_, at) => {
        if (at !== round % players.length) return page
        const stamp = Math.floor(round / lanes) + 1
        const body = keys.map((key) => ({ __KEY: `${key}`, __STAMP: stamp, balance: 200 + round }))
        return { method: 'POST', path: 'Account?$atomic=true', body }
      }),
      check: (replies) =>
        replies.flatMap(({ status, body }) => {
          if (status !== 200) return [`${status} ${JSON.stringify(body)}`]
          const rows: readonly { balance: number; __STAMP: number }[] = body.__ENTITIES
          const versions = new Set(rows.map(({ balance, __STAMP }) => `${balance} ${__STAMP}`))
          return versions.size === 1 && rows.length === 3 ? [] : [`half: ${[...versions].join()}`]
        }),
    }
  })
}

/** Writes of a session are stored before the answer to its logout, or not stored. */
export async function raceOfLogouts(options: RaceOptions): Promise<RaceResult> {
  const { players } = options
  const accounts = await createAccounts(players[0]!, options.lanes)
  return race(options, async (lane, round) => {
    const starter = players[round % players.length]!
    const [cookie] = await sessionsOf(starter, 1)
    const text = { text: 'private', account: `${accounts[lane]}` }
    return {
      asked: players.map((_, at) =>
        at === 0
          ? { method: 'POST', path: '$directory/logout', cookie }
          : { method: 'POST', path: 'Line', body: text, cookie },
      ),
      async check(replies) {
        const late = await firstAnswer(players[0]!, {
          method: 'POST',
          path: 'Line',
          body: text,
          cookie,
        })
        return [
          ...(late.status === 200 ? ['a session wrote after its logout'] : []),
          ...(replies[0]!.status === 200 ? [] : [`logout: ${replies[0]!.status}`]),
        ]
      },
    }
  })
}
