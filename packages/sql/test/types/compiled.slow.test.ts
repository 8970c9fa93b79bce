import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { UserFolder } from '../../../core/test/model/compilers.ts'

let folder: UserFolder
beforeAll(() => {
  folder = new UserFolder()
  folder.addPackage('engine')
  folder.addPackage('rest', ['sharp'])
  folder.addPackage('client')
  folder.addPackage('sql', ['@electric-sql/pglite'])
  const program = new URL('programs/database.ts', import.meta.url)
  folder.write('database.ts', readFileSync(program, 'utf8'))
})
afterAll(() => folder.remove())

/** TypeScript 5.9 takes ten times as long: `npm run test:sql` compiles with both. */
const COMPILERS = Number(process.env.ENTIA_RUNS ?? 1) > 1 ? ['compile5', 'compile7'] : ['compile7']

test.each(COMPILERS as ('compile5' | 'compile7')[])(
  'a store over a database is typed as one in memory, and declarations can name its types: %s',
  (compile) => {
    expect(folder[compile]().errors).toEqual([])
  },
)
