/**
 * Replaces `vitest` for the tests of a mutation run: it collects the tests as functions that can be
 * called repeatedly in one process. `expect` is vitest's own.
 */
import * as expectations from '@vitest/expect'

const { chai, getState, setState } = expectations
chai.use(expectations.JestExtend)
chai.use(expectations.JestChaiExpect)
chai.use(expectations.JestAsymmetricMatchers)

export const expect = (value, message) => chai.expect(value, message)
Object.assign(expect, chai.expect, globalThis[expectations.ASYMMETRIC_MATCHERS_OBJECT])
expect.getState = () => getState(expect)
expect.setState = (state) => setState(state, expect)
expect.extend = (matchers) => chai.expect.extend(expect, matchers)
expect.unreachable = (message) =>
  chai.assert.fail(`expected not to be reached${message ? `: ${message}` : ''}`)
globalThis[expectations.GLOBAL_EXPECT] = expect
setState(
  { assertionCalls: 0, isExpectingAssertions: false, expectedAssertionsNumber: null },
  expect,
)

const suiteBelow = (outer, name) => ({
  outer,
  name,
  beforeAll: [],
  afterAll: [],
  beforeEach: [],
  afterEach: [],
})
let suite = suiteBelow(null, '')
let tests = []

/** Loads test files by name and returns their tests as `{ id, suite, run }`. */
export async function collect(files) {
  tests = []
  for (const [name, load] of Object.entries(files)) {
    suite = suiteBelow(null, name)
    await load()
  }
  return tests
}

export function describe(name, body) {
  suite = suiteBelow(suite, name)
  body()
  suite = suite.outer
}

export function test(name, ...rest) {
  const run = rest.find((one) => typeof one === 'function')
  const path = [name]
  for (let at = suite; at !== null; at = at.outer) path.unshift(at.name)
  // Rows of a table can have the same name.
  tests.push({ id: `${path.shift()}#${path.join(' ')} (${tests.length})`, suite, run })
}

const eachOf = (declare) => (rows) => (name, body, options) => {
  for (const row of rows) {
    const values = Array.isArray(row) ? row : [row]
    declare(`${name} ${String(values[0])}`, () => body(...values), options)
  }
}
test.each = eachOf(test)
describe.each = eachOf(describe)

export const beforeAll = (hook) => suite.beforeAll.push(hook)
export const afterAll = (hook) => suite.afterAll.push(hook)
export const beforeEach = (hook) => suite.beforeEach.push(hook)
export const afterEach = (hook) => suite.afterEach.push(hook)

const stubbed = new Map()

export const vi = {
  stubGlobal(name, value) {
    if (!stubbed.has(name)) stubbed.set(name, Object.getOwnPropertyDescriptor(globalThis, name))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  },
  unstubAllGlobals() {
    for (const [name, property] of stubbed) {
      if (property === undefined) delete globalThis[name]
      else Object.defineProperty(globalThis, name, property)
    }
    stubbed.clear()
  },
}
