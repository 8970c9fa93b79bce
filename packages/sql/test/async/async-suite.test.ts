import type { Untyped } from '@entia/core'
import { describeAsyncStore } from '../../../core/test/async/async-suite.ts'
import type { AsyncLeague } from '../../../core/test/async/league.ts'
import { describeDatabases } from '../database.ts'
import { openCopy } from '../engine/sql-host.ts'

describeDatabases('A store over a database', { on: 'one' }, ({ pool, newSchema }) => {
  describeAsyncStore('openSqlStore', async (league) => {
    const store: Untyped = await openCopy(league, pool, newSchema())
    return (): AsyncLeague => store.as(null)
  })
})
