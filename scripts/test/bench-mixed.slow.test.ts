import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readText, root } from './source-files.ts'

/** The benchmark is plain JavaScript that the type checker does not follow. */
const bench = (file: string) => import(join(root, 'bench', file))
const { randomNumbers } = await bench('data.js')
const { LivingIds, zipfian } = await bench('mixed/draws.js')
const { ExpectedAnswers } = await bench('mixed/expected-answers.js')
const { heapVerdict } = await bench('mixed/heap.js')
const { Latencies } = await bench('mixed/latencies.js')
const { MixSession } = await bench('mixed/mix-session.js')
const { printMixes, publishedMixes } = await bench('mixed/mix-tables.js')
const { pairSummary, publishedPairs } = await bench('mixed/report-pairs.js')
const { workloadSummary } = await bench('harness/summary-tables.js')
const { mixes } = await bench('mixed/mixes/index.js')
const { default: entia } = await bench('mixed/subjects/entia.js')

const rows = 400
const answersCompared = 120
interface Mix {
  readonly id: string
  readonly isOverHttp?: boolean
}
const inStore: readonly Mix[] = mixes.filter(({ isOverHttp }: Mix) => !isOverHttp)

test.each(inStore.map((mix) => [mix.id, mix] as const))(
  'the %s mix matches the answers and the final rows of the reference',
  async (_id, mix) => {
    const expected = new ExpectedAnswers(mix, rows, answersCompared)
    const session = await MixSession.open(entia, mix, rows)
    expect(session.missing).toEqual([])
    expect(expected.findFault(await session.answers(answersCompared, 60_000))).toBeNull()
    const { operations } = await session.measure(5)
    expect(operations).toBeGreaterThan(0)
    const settled = await session.settle()
    expect(settled.operations).toBe(answersCompared + operations)
    expect(settled.digest).toBe(expected.digestAfter(settled.operations))
    for (const { count, p50, largest } of Object.values<{
      count: number
      p50: number
      largest: number
    }>(session.latencies())) {
      if (count > 0) expect(p50).toBeLessThanOrEqual(largest)
    }
  },
)

test('a wrong answer is reported with its operation', () => {
  const [mix] = inStore
  const expected = new ExpectedAnswers(mix, rows, 5)
  const found = [...expected.texts]
  found[3] = 'something else'
  expect(expected.findFault(found)).toMatch(/^operation 4, \{"kind":.*found "something else"$/)
})

test('lower ranks of the zipfian distribution are more frequent', () => {
  const random = randomNumbers(3)
  const draw = zipfian(1_000)
  const counts: number[] = Array.from({ length: 1_000 }, () => 0)
  for (let i = 0; i < 50_000; i++) counts[draw(random)]!++
  const [first, second] = counts
  expect(first! / 50_000).toBeCloseTo(0.13, 1)
  expect(second! / first!).toBeCloseTo(0.5, 1)
  expect(counts.reduce((sum, count) => sum + count)).toBe(50_000)
})

test('undo restores the identifiers', () => {
  const random = randomNumbers(5)
  const ids = new LivingIds(20).mark()
  const drawn = () => Array.from({ length: 50 }, () => ids.draw(randomNumbers(random() * 1e9)))
  const same = randomNumbers(9)
  const list = () => {
    const drawn = new Set<number>()
    for (let i = 0; i < 2_000; i++) drawn.add(ids.draw(same))
    return [...drawn].sort((a, b) => a - b)
  }
  const before = list()
  for (let i = 0; i < 15; i++) {
    ids.add()
    ids.remove(random)
  }
  expect(drawn()).toHaveLength(50)
  ids.undo()
  expect(list()).toEqual(before)
  expect(ids.add()).toBe(21)
})

test('percentiles of latencies are within two percent', () => {
  const latencies = new Latencies()
  for (let i = 1; i <= 10_000; i++) latencies.add(i * 1_000)
  const { count, p50, p99, p999, largest } = latencies.summary()
  expect([count, largest]).toEqual([10_000, 10_000_000])
  for (const [found, wanted] of [
    [p50, 5_000_000],
    [p99, 9_900_000],
    [p999, 9_990_000],
  ] as const) {
    expect(Math.abs(found / wanted - 1)).toBeLessThan(0.02)
  }
})

test('a heap that grows in the last third is not flat; for a growing table bytes per row count', () => {
  const look = (heapBytes: number, count: number) => ({ heapBytes, figures: { rows: count } })
  const verdictOn = (...samples: object[]) => heapVerdict(samples)
  expect(verdictOn(...[9, 10, 10, 10, 10, 10].map((bytes) => look(bytes, 5))).isFlat).toBe(true)
  expect(verdictOn(...[9, 10, 10, 10, 11, 12].map((bytes) => look(bytes, 5))).isFlat).toBe(false)
  expect(
    verdictOn(...[10, 20, 30, 40, 50, 60].map((bytes) => look(bytes * 100, bytes))),
  ).toMatchObject({
    isFlat: true,
    isPerRow: true,
  })
})

test('the short tables have the lowest and highest ratio of a subject, and the largest factor', () => {
  const measured = (value: number) => ({ kind: 'measured', value })
  const workload = (id: string, entia: number, peer: number) => ({
    id,
    results: { baseline: measured(10), entia: measured(entia), peer: measured(peer) },
  })
  const report = {
    subjects: { baseline: '', entia: '1', peer: '1' },
    workloads: [
      workload('W2', 20, 10),
      workload('W2b', 5, 500),
      { id: 'W20a', results: { peer: measured(1) } },
    ],
  }
  expect(workloadSummary(report).split('\n').slice(2)).toEqual([
    '| read one entity by its key |                0.50x to 100x |     0.50x to 2.0x |',
    '',
  ])
  const pairs = [
    { read: 'get', write: 'update', median: 1.2, p99: 4 },
    { read: 'get', write: 'insert', median: 1.9, p99: 1 },
    { read: 'get', write: 'remove', median: 1, p99: 2 },
  ]
  const run = { rows: 5, node: '20', machine: 'm', seconds: 1, pairs }
  expect(publishedPairs(run)).toContain('| get  |           1.2 |     1.9 | insert |')
  expect(pairSummary(run)).toContain('the median is 1.20x, the worst 1.9x. 1 are above 1.5x')
})

// The publisher refuses a page without them only when it has new numbers.
test('the pages have the markers of every block that is published', () => {
  const published = readText('bench/publish.js').matchAll(/blocks\.set\('([\w-]+)'/g)
  const pages = ['docs/explanation/performance.md', 'docs/reference/measurements.md'].map(readText)
  const names = [...published].map(([, name]) => name)
  expect(names.length).toBeGreaterThan(10)
  for (const name of names) {
    const having = pages.filter((text) =>
      new RegExp(`^<!-- ${name}:begin -->\n[^]+\n<!-- ${name}:end -->$`, 'm').test(text),
    )
    expect([name, having.length]).toEqual([name, 1])
  }
})

test('the tables are written between their markers; a page without markers is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'entia-mixed-'))
  try {
    const latency = { count: 1, mean: 5, p50: 5, p99: 5, p999: 5, largest: 5 }
    const cell = (perSecond: number) => ({
      kind: 'measured',
      perSecond,
      latencies: { get: latency },
      functions: [],
    })
    const report = {
      ...{
        rows: 100_000,
        rounds: 1,
        milliseconds: 1_000,
        seconds: 1,
        node: '20',
        machine: 'm',
        missing: {},
      },
      subjects: { entia: '1', other: '2' },
      mixes: [
        { id: 'ycsb-c', title: 'reads', rows: 5, results: { entia: cell(900), other: cell(300) } },
      ],
    }
    expect(printMixes(report)).toContain('3.00x | 2.00x | yes')
    expect(publishedMixes(report)).not.toContain('largest')
    const [file, page] = [join(folder, 'mixed.json'), join(folder, 'page.md')]
    writeFileSync(file, JSON.stringify(report))
    const publish = () =>
      spawnSync(
        process.execPath,
        [join(root, 'bench/publish.js'), '--mixed', file, '--page', page],
        {
          encoding: 'utf8',
        },
      )

    writeFileSync(page, 'no markers\n')
    const refused = publish()
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain('has no markers for mixed')
    expect(readFileSync(page, 'utf8')).toBe('no markers\n')

    writeFileSync(page, 'above\n<!-- mixed:begin -->\nold\n<!-- mixed:end -->\nbelow\n')
    expect(publish().stderr).toBe('')
    const written = readFileSync(page, 'utf8')
    expect(written).toMatch(
      /^above\n<!-- mixed:begin -->\n100000 rows.*\| ycsb-c .*<!-- mixed:end -->\nbelow\n$/s,
    )
    expect(written).not.toContain('old')

    writeFileSync(page, '<!-- mixed-summary:begin -->\nold\n<!-- mixed-summary:end -->\n')
    expect(publish().stderr).toBe('')
    expect(readFileSync(page, 'utf8')).toMatch(
      /^<!-- mixed-summary:begin -->\n\| mix .*\n.*\n\| reads .* 900 .* other .* 3\.00x \|\n<!-- mixed-summary:end -->\n$/,
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})
