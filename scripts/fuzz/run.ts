import { Chance } from './chance.ts'
import { Corpus } from './corpus.ts'
import type { Coverage } from './coverage.ts'
import { PARSERS, type Parser } from './parsers.ts'
import { anyRequest, type FuzzRequest, Target } from './requests.ts'
import { replayLine, tryInput } from './try-input.ts'

/** Something that must not be, and the line that repeats it. */
export interface Finding {
  readonly what: string
  readonly replay: string
}

/** What a run of one parser, or of the requests, came to. */
export interface Report {
  readonly name: string
  readonly inputs: number
  /** How often each outcome: `read`, a code, a status. */
  readonly outcomes: ReadonlyMap<string, number>
  readonly findings: readonly Finding[]
  readonly slowestMilliseconds: number
  readonly milliseconds: number
  /** Inputs that were kept because they reached code that none before had reached. */
  readonly kept: number
}

/** Every run stops at so many findings: the first are mostly the same ones. */
const MOST_FINDINGS = 5

class Tally {
  readonly outcomes = new Map<string, number>()
  readonly findings: Finding[] = []
  readonly #since = performance.now()
  inputs = 0
  slowest = 0

  count(outcome: string): void {
    this.inputs++
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
  }

  report(name: string, kept = 0): Report {
    const { inputs, outcomes, findings, slowest: slowestMilliseconds } = this
    const milliseconds = performance.now() - this.#since
    return { name, inputs, outcomes, findings, slowestMilliseconds, milliseconds, kept }
  }
}

/** `total` inputs, shared among the parsers (or for one of them alone). Under `coverage` the first `guided` of each look for code that was not reached yet. */
export async function* fuzzParsers(
  seed: number,
  total: number,
  guided = 0,
  coverage: Coverage | null = null,
  only: string | null = null,
): AsyncGenerator<Report> {
  const chosen = PARSERS.filter(({ name }) => only === null || name === only)
  const shares = chosen.reduce((sum, { share }) => sum + share, 0)
  for (const [index, parser] of chosen.entries()) {
    const inputs = Math.max(1, Math.round((total * parser.share) / shares))
    const corpus = new Corpus(parser, new Chance(seed + index * 7919))
    const tally = new Tally()
    if (coverage !== null) await explore(parser, corpus, tally, Math.min(guided, inputs), coverage)
    while (tally.inputs < inputs && tally.findings.length < MOST_FINDINGS) await tryOne(parser, corpus.next(), tally)
    yield tally.report(parser.name, corpus.size)
  }
}

async function tryOne(parser: Parser, input: string, tally: Tally): Promise<void> {
  const since = performance.now()
  const { kind, what } = await tryInput(parser, input)
  tally.slowest = Math.max(tally.slowest, performance.now() - since)
  tally.count(kind === 'finding' ? 'FINDING' : what)
  if (kind === 'finding') tally.findings.push({ what, replay: replayLine(parser.name, input) })
}

/** Keeps the inputs that reach something no input before them had reached: what follows is made from them. */
async function explore(
  parser: Parser,
  corpus: Corpus,
  tally: Tally,
  inputs: number,
  coverage: Coverage,
): Promise<void> {
  while (tally.inputs < inputs && tally.findings.length < MOST_FINDINGS) {
    const input = corpus.next()
    await tryOne(parser, input, tally)
    if ((await coverage.newRanges()) > 0) corpus.keep(input)
  }
}

/** Requests on stores of their own, `perStore` on each, so that what replays a finding stays short. */
export async function fuzzRequests(seed: number, total: number, perStore = 24): Promise<Report> {
  const chance = new Chance(seed)
  const tally = new Tally()
  while (tally.inputs < total && tally.findings.length < MOST_FINDINGS) {
    const target = new Target()
    const asked: FuzzRequest[] = []
    try {
      for (let left = perStore; left > 0; left--) {
        const request = anyRequest(chance, target.sets, target.cookies.length)
        asked.push(request)
        const since = performance.now()
        const status = await target.ask(request)
        tally.slowest = Math.max(tally.slowest, performance.now() - since)
        tally.count(`${status}`)
      }
      target.verify()
    } catch (error) {
      tally.count('FINDING')
      const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
      tally.findings.push({ what: `${what}\n${JSON.stringify(asked.at(-1))}`, replay: replayRequests(asked) })
    }
  }
  return tally.report('requests')
}

const replayRequests = (asked: readonly FuzzRequest[]): string => replayLine('requests', JSON.stringify(asked))

/** Tries again what a replay line names. Throws what it finds. */
export async function replay(name: string, input: string): Promise<string> {
  if (name === 'requests') {
    const target = new Target()
    const statuses: number[] = []
    for (const request of JSON.parse(input) as readonly FuzzRequest[]) statuses.push(await target.ask(request))
    target.verify()
    return `answered ${statuses.join(' ')}`
  }
  const parser = PARSERS.find((one) => one.name === name)
  if (parser === undefined) throw new Error(`There is no parser "${name}".`)
  const { kind, what } = await tryInput(parser, input)
  if (kind === 'finding') throw new Error(what)
  return what
}
