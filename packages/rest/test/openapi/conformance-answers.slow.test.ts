import { describe, expect, test } from 'vitest'
import {
  type ConformanceCase,
  type ConformanceHost,
  conformanceAreas,
  runCase,
} from '../../../testing/src/conformance/index.ts'
import { createRestHandler, openApiOf } from '../../src/index.ts'
import { DocumentValidator, type Exchange } from './document-validator.ts'
import { ABOUT, lint } from './lint.ts'

const jsonOrText = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const checksEntities = new Map<string, DocumentValidator>()

/** Many cases have the same document, and its schemas take long to compile. */
function judgeOf(document: object): DocumentValidator {
  const text = JSON.stringify(document)
  const validator = checksEntities.get(text) ?? new DocumentValidator(document)
  checksEntities.set(text, validator)
  return validator
}

/** Runs a case, and looks at every request and answer of it. */
async function exchangesOf(
  each: ConformanceCase,
  look: (exchange: Exchange, validator: DocumentValidator) => void,
): Promise<void> {
  const host: ConformanceHost = {
    open(store, options) {
      const rest = createRestHandler(store, options)
      const validator = judgeOf(openApiOf(store, options))
      return {
        close: () => {},
        async request(request) {
          const reply = await rest.handle({ ...request, remoteAddress: '127.0.0.1' })
          const contentType = reply.headers['content-type']
          const text =
            typeof reply.body === 'string' ? reply.body : new TextDecoder().decode(reply.body)
          const sent =
            typeof request.body === 'string' && request.body !== ''
              ? { sent: jsonOrText(request.body) }
              : {}
          const { method, url } = request
          look(
            { method, url, ...sent, status: reply.status, contentType, answered: jsonOrText(text) },
            validator,
          )
          return reply
        },
      }
    },
  }
  const { problem } = await runCase(host, each)
  if (problem !== null) throw new Error(problem)
}

describe.each(Object.entries(conformanceAreas))('the conformance table, %s', (_, cases) => {
  test('every answer and every accepted body conforms to the document', async () => {
    const faults: string[] = []
    let looked = 0
    for (const each of cases)
      await exchangesOf(each, (exchange, validator) => {
        looked++
        const { method, url, status } = exchange
        faults.push(
          ...validator
            .faultsOf(exchange)
            .map((fault) => `${each.id} ${method} ${url} ${status}: ${fault}`),
        )
      })
    expect(faults).toEqual([])
    expect(looked).toBeGreaterThanOrEqual(cases.length)
  })
})

/** The fixtures of all cases, each once. */
const fixtures = new Map(
  Object.values(conformanceAreas).flatMap((cases) =>
    cases.map((each) => [each.fixture.name, each]),
  ),
)

test.each([...fixtures.values()])(
  'the document of $fixture.name is valid',
  async ({ fixture, options }) => {
    const store = fixture.create({} as never)
    expect(
      await lint(openApiOf(store, { ...fixture.options, ...options, openapi: ABOUT })),
    ).toEqual([])
    store.close()
  },
)
