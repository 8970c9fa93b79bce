import { describe, test } from 'vitest'
import { BAD_INPUTS, type Input, ODD_ADDRESSES } from '../../../rest/test/http/bad-inputs.ts'
import { createHr } from '../../../rest/test/http/models.ts'
import { describeDatabases } from '../database.ts'
import { TwoEngines } from './two-engines.ts'

describeDatabases('bad input is refused as in memory', { on: 'one' }, (database) => {
  const engines = new TwoEngines(database, createHr)

  for (const [name, inputs] of BAD_INPUTS)
    describe(name, () => {
      test.each(inputs.map((input) => [titleOf(input), input] as const))('%s', (_title, input) =>
        send(input),
      )
    })
  test.each(ODD_ADDRESSES)('GET %s', (url) => send(['GET', url]))

  async function send([method, url, body, headers]: Input): Promise<void> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const input = { method, url, ...(text === undefined ? {} : { body: text }) }
    await engines.expectSame(headers === undefined ? input : { ...input, headers })
    await engines.expectSame({ method: 'GET', url: '/rest/Employee?$orderby=ID' })
  }
})

const titleOf = ([method, url, body]: Input): string =>
  `${method} ${url} ${body ?? ''}`.slice(0, 90)
