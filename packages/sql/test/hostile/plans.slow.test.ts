import { expect, test } from 'vitest'
import { createHr } from '../../../rest/test/http/models.ts'
import { BY_HEADER } from '../../../rest/test/http/permitted-desk.ts'
import { describeDatabases } from '../database.ts'
import { TwoEngines } from './two-engines.ts'

/** Ann sees some employees; others see all. */
const OPTIONS = {
  ...BY_HEADER,
  authorize: ({ session, dataClass, action }: Parameters<typeof isAnn>[0]) =>
    isAnn({ session, dataClass, action }) ? { filter: 'ID < 4', parameters: [] } : true,
}
const isAnn = ({
  session,
  dataClass,
  action,
}: {
  readonly session: { readonly user: { readonly ID: string | number } | null } | null
  readonly dataClass: string | null
  readonly action: string
}): boolean => session?.user?.ID === 'ann' && dataClass === 'Employee' && action === 'read'

const FILTERS = [
  'lastName = byron',
  'lastName = byron or firstName = ada',
  'employer.city = "San Jose" and lastName begin b',
  'not (ID > 3) and employer.name = Adobe',
  'salary > 10 and notes.level.n = 3',
]

describeDatabases('$queryplan', { on: 'one' }, (database) => {
  const engines = new TwoEngines(database, createHr, OPTIONS)
  const ask = (path: string, filter: string, who: string) =>
    engines.expectSame({
      method: 'GET',
      url: `/rest/${path}?$filter=${encodeURIComponent(`"${filter.replaceAll('"', "'")}"`)}&$queryplan=true`,
      headers: { authorization: who },
    })

  test.each(FILTERS)('of one entity names no index, as in memory: %s', async (filter) => {
    for (const path of ['Employee(1)', "Employee:lastName('byron')", 'Employee(4)']) {
      const { text } = await ask(path, filter, 'boss')
      expect(text).not.toContain('[index')
    }
  })

  test.each(FILTERS)(
    'names no index for a caller from whom entities are hidden: %s',
    async (filter) => {
      for (const path of ['Employee', 'Employee(1)', 'Company(1)/employees']) {
        const { text } = await ask(path, filter, 'ann')
        expect(text).toContain('__queryPlan')
        expect(text).not.toContain('[index')
      }
    },
  )

  test('names the indexes of the model for others', async () => {
    const { text } = await ask('Employee', 'lastName = byron', 'boss')
    expect(text).toContain('[index')
  })
})
