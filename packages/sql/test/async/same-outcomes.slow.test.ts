import type { Untyped } from '@entia/core'
import { asyncOf } from '@entia/core/async'
import { test } from 'vitest'
import { expectSameOutcomes } from '../../../core/test/async/async-property.ts'
import type { AsyncLeague, AsyncWay } from '../../../core/test/async/league.ts'
import { describeDatabases } from '../database.ts'
import { openCopy } from '../engine/sql-host.ts'

describeDatabases('A store over a database', { on: 'one' }, ({ pool, newSchema }) => {
  const overDatabase: AsyncWay = async (league) => {
    const store: Untyped = await openCopy(league, pool, newSchema())
    return (): AsyncLeague => store.as(null)
  }

  test('random commands have the same outcomes as in memory', () =>
    expectSameOutcomes(
      [(store) => () => asyncOf(store), overDatabase],
      8,
      // A database never uses a record number again.
      false,
    ))
})
