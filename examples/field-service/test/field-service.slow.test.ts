import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('the program runs unchanged: work goes on in the tunnel, and the conflict is solved', () => {
  const program = fileURLToPath(new URL('../field-service.mjs', import.meta.url))
  const printed = execFileSync(process.execPath, [program], { encoding: 'utf8' })
  expect(printed.trimEnd().split('\n')).toEqual([
    'plan: 9:00 Mill, 11:00 Lock',
    'notReplicated: The replica does not hold everything that this query of Visit needs',
    'in the tunnel: 9:00 Mill, 12:00 Lock; 3 transactions wait',
    'a conflict: it was 11, Ann says 12, the office says 15',
    'after it: 9:00 Mill (done), 15:00 Lock',
    'Ann gets report 1, notes: 1',
    'the office reads: bearing replaced',
  ])
})
