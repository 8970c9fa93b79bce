import type { Untyped } from '@entia/core'
import {
  describeAsyncMisuse,
  describeUnknownOptions,
} from '../../../core/test/async/async-misuse.ts'
import { describeAsyncStore } from '../../../core/test/async/async-suite.ts'
import type { AsyncLeague, AsyncWay } from '../../../core/test/async/league.ts'
import { describeDatabases } from '../database.ts'
import { openCopy } from '../engine/sql-host.ts'

describeDatabases('A store over a database', { on: 'one' }, ({ pool, newSchema }) => {
  const way: AsyncWay = async (league) => {
    const store: Untyped = await openCopy(league, pool, newSchema())
    return (): AsyncLeague => store.as(null)
  }
  describeAsyncStore('openSqlStore', way)
  describeAsyncMisuse('openSqlStore', way)
  describeUnknownOptions('openSqlStore', way)
})
