import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { UserFolder } from '../../core/test/model/compilers.ts'

let folder: UserFolder
beforeAll(() => {
  folder = new UserFolder()
  folder.addPackage('client')
  const program = new URL('programs/asynchronous.ts', import.meta.url)
  folder.write('asynchronous.ts', readFileSync(program, 'utf8'))
})
afterAll(() => folder.remove())

test.each(['compile5', 'compile7'] as const)(
  'a program with AsyncStore compiles for both kinds of stores: %s',
  (compile) => {
    expect(folder[compile]().errors).toEqual([])
  },
)
