import type { Random } from '../../../core/test/differential/random.ts'
import type { Step } from '../../../testing/src/conformance/case.ts'
import type { Command } from './draw-commands.ts'

// Requests at the same time: any that take effect as a whole, and some about so few entities that
// each meets what the others write.

/**
 * Kinds that take effect as a whole. Of a batch that is not atomic each item does, and locks,
 * logins and uploads belong to no order of commits.
 */
const WHOLE = new Set(
  'create change page entity aggregate distinct groups call plain client tool'.split(' '),
)
/** Several requests, or what after-hooks write later. */
const IN_PARTS =
  /Log\b|\/db"|CLIENT (edit|keep|change|saveAll|removeF|lock|unlock|iterate|entitySet|combine)|\$filter.*DELETE|drop|raise/

/** Dataclasses whose keys are made: attempts that are given up use some. */
const WITH_MADE_KEYS = /Ticket|Door|\/plain\/(Pass|Form)/

function isWhole({ kind, step }: Command): boolean {
  const text = JSON.stringify(step)
  if (!WHOLE.has(kind) || step.after !== undefined || IN_PARTS.test(text)) return false
  return step.send.startsWith('GET ') || !WITH_MADE_KEYS.test(text)
}

/** The command with others beside it, if all of them take effect as a whole. */
export function withOthers(command: Command, draw: () => Command): Command {
  if (!isWhole(command)) return command
  const others = Array.from({ length: 3 }, draw).filter(isWhole)
  return others.length === 0 ? command : { ...command, others }
}

const few = (random: Random): number => 1 + random.below(3)

/** Pairs that depend on each other: stamps, unique names, counted players, targets, sums. */
const CONTENDED: readonly ((random: Random) => Step)[] = [
  (random) => ({
    send: 'POST /rest/Player',
    body: {
      __KEY: String(few(random)),
      ...(random.chance(0.5) ? { __STAMP: few(random) } : {}),
      score: random.below(60),
      name: random.pick(['Ada', 'Count', 'Alone', 'Ben']),
    },
  }),
  (random) => ({
    send: 'POST /rest/Player',
    body: { name: random.pick(['Count', 'Alone', 'Ada']), score: few(random), team: few(random) },
  }),
  (random) => ({ send: 'POST /rest/Team', body: { name: random.pick(['Red', 'Blue', 'red']) } }),
  (random) => ({ send: `DELETE /rest/Team[${few(random)}]` }),
  (random) => ({ send: `DELETE /rest/Player[${few(random)}]` }),
  (random) => ({
    send: 'POST /rest/Pass',
    body: { code: random.pick(['a', 'b']), holder: few(random), sponsor: few(random) },
  }),
  (random) => ({ send: 'POST /rest/$catalog/swap', body: [few(random), few(random)] }),
  (random) => ({ send: `POST /rest/Player[${few(random)}]/promote`, body: [] }),
  () => ({ send: 'POST /rest/Player/total?$filter="score >= 0"&$orderby=ID', body: [] }),
  (random) => ({ send: 'POST /rest/Player/risk', body: [random.pick(['refuse', 'go'])] }),
  () => ({ send: 'GET /rest/Player?$orderby=ID&$attributes=name,score,team.name,teamName' }),
  () => ({ send: 'GET /rest/Player?$groupby=team.name&$aggregates=count,score.sum' }),
  (random) => ({
    send: `PATCH /plain/Player/${few(random)}`,
    body: { score: random.below(60), captain: random.pick([null, few(random)]) },
  }),
  (random) => ({
    send: 'TOOL update',
    body: { dataClass: 'Player', key: few(random), values: { score: random.below(60) } },
  }),
  (random) => ({
    send: 'CLIENT update',
    body: { dataClass: 'Player', key: few(random), values: { level: few(random) } },
  }),
]

export function drawContended(random: Random): Command {
  const draw = (): Command => {
    const as = random.pick(['bob', 'anna', undefined])
    const step = random.pick(CONTENDED)(random)
    return { kind: 'contended', step: as === undefined ? step : { ...step, as } }
  }
  return { ...draw(), others: [draw(), draw(), draw()] }
}
