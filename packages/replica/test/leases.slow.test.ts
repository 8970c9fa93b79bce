import fc from 'fast-check'
import { test } from 'vitest'
import { patience, runs } from '../../core/test/runs.ts'
import { histories, runHistory, sizes } from './lease-histories.ts'

test(
  'no key is given twice and no insertion is lost, whatever is cut, lost, repeated and opened again',
  patience,
  () =>
    fc.assert(fc.asyncProperty(histories(false), sizes, runHistory), {
      ...runs(40, 10),
      timeout: 10_000,
    }),
)

test(
  'after a server is put back to a backup, keys that it does not know make problems, and the next are good',
  patience,
  () =>
    fc.assert(fc.asyncProperty(histories(true), sizes, runHistory), {
      ...runs(40, 10),
      timeout: 10_000,
    }),
)
