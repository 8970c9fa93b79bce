import { describe, expect, test } from 'vitest'
import {
  type ConformanceHost,
  conformanceAreas,
  runCase,
} from '../../../testing/src/conformance/index.ts'
import { createRestHandler } from '../../src/index.ts'
import { servedLater } from './async-engine.ts'

const host: ConformanceHost = {
  open(store, options) {
    const rest = createRestHandler(servedLater(store), options)
    return {
      request: (request) => rest.handle({ ...request, remoteAddress: '127.0.0.1' }),
      close: () => {},
    }
  },
}

// The runner compares every reply with that of the synchronous engine, byte for byte.
describe.each(Object.entries(conformanceAreas))(
  'over an asynchronous engine: %s',
  (_area, cases) => {
    test.each(cases.map((each) => [each.id, each.title, each] as const))(
      '%s %s',
      async (_id, _title, each) => {
        expect((await runCase(host, each)).problem).toBeNull()
      },
    )
  },
)
