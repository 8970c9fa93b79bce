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
