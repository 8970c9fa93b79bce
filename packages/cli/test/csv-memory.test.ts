import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { readCsv } from '../src/data/read-csv.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const heap = (): number => {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

test('the texts of one column do not keep the other columns of a file in memory', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'entia-csv-'))
  const file = join(folder, 'wide.csv')
  const rest = Array.from({ length: 100 }, (_, at) => 1_000_000_000 + at).join()
  const names = Array.from({ length: 20_000 }, (_, at) => `the name of number ${at}`)
  writeFileSync(file, `name,${rest}\n${names.map((name) => `${name},${rest}\n`).join('')}`)
  try {
    const before = heap()
    const kept: (string | null)[] = []
    for await (const block of readCsv(file)) for (const text of block.values(0)) kept.push(text)
    const grown = heap() - before
    expect(kept).toEqual(names)
    // The file has 22 MB, its names 0.5.
    expect(grown).toBeLessThan(6_000_000)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
