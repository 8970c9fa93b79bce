import fc from 'fast-check'
import { test } from 'vitest'
import { patience, runs } from '../../core/test/runs.ts'
import { histories, runHistory, sizes } from './lease-histories.ts'

/** `npm run test:long -- leases` plays more, see scripts/long.mjs. */
const HISTORIES = Number(process.env.ENTIA_HISTORIES ?? 40)
const SEED = process.env.ENTIA_SEED

const often = {
  ...runs(HISTORIES, 10),
  ...(SEED === undefined ? {} : { seed: Number(SEED) }),
  // A history takes a tenth of a second, but a process of low priority may wait for long.
  timeout: 120_000,
}

test(
  'no key is given twice and no insertion is lost, whatever is cut, lost, repeated and opened again',
  patience,
  () => fc.assert(fc.asyncProperty(histories(false), sizes, runHistory), often),
)

test(
  'after a server is put back to a backup, keys that it does not know make problems, and the next are good',
  patience,
  () => fc.assert(fc.asyncProperty(histories(true), sizes, runHistory), often),
)
