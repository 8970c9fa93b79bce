import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('the quick start runs unchanged and prints the result and its plan', () => {
  const program = fileURLToPath(new URL('../quick-start.mjs', import.meta.url))
  const [answer, ...plan] = execFileSync(process.execPath, [program], { encoding: 'utf8' }).split(
    '\n',
  )
  expect(answer).toBe("1 [ { lastName: 'Byron', employer: { name: 'Analytical Engines' } } ]")
  expect(plan.join('\n')).toContain('Employee.salary > 50000')
  expect(plan.join('\n')).toContain("employer.city = 'zurich'")
})

test('the program with typed queries runs unchanged and prints what it selects', () => {
  const program = fileURLToPath(new URL('../typed-queries.mjs', import.meta.url))
  const printed = execFileSync(process.execPath, [program], { encoding: 'utf8' })
  expect(printed.split('\n')).toEqual([
    "[ { lastName: 'Byron' }, { lastName: 'Babbage' } ]",
    'salary >= 50000 and not employer = null',
    "[ { lastName: 'Byron' } ]",
    '',
  ])
})

const linesOf = (program: string): readonly string[] => {
  const path = fileURLToPath(new URL(`../${program}`, import.meta.url))
  return execFileSync(process.execPath, [path], { encoding: 'utf8' }).trimEnd().split('\n')
}

test('the program with groups runs unchanged and prints them', () => {
  expect(linesOf('grouping.mjs')).toEqual([
    '[',
    "  { 'origin.state': 'CA', count: 1, delay: { average: 5, max: 5 } },",
    "  { 'origin.state': 'TX', count: 2, delay: { average: 25, max: 40 } }",
    ']',
    "{ 'date.month': '2001-01-01', delay: { sum: 50 } }",
  ])
})

test('the program with schemas runs unchanged and prints what they refuse', () => {
  expect(linesOf('schemas.mjs')).toEqual([
    'salary: The value of "salary" cannot be less than 0.',
    'lastName: The "lastName" attribute of the "Employee" dataclass cannot be null.',
    '1',
  ])
})

test('the program with a client runs unchanged in the process and over HTTP', () => {
  expect(linesOf('client.mjs')).toEqual(['saved saved', "[ { lastName: 'Byron', salary: 72600 } ]"])
})
