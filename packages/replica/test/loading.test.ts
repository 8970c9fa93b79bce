import { connect } from '@entia/client'
import { expect, test } from 'vitest'
import { replicate } from '../src/index.ts'
import { CLASSES, createOffice, PAUSES, rowsOf } from './office.ts'

const STAFF = 3000

/** An office of many, and a replica of it whose first moment passes through `change`. */
async function replicaThrough(change: (lines: string[]) => readonly string[]) {
  const { store, rest } = createOffice()
  store.Employee.load(
    Array.from({ length: STAFF }, (_, at) => ({ name: `n${at % 7}`, salary: at % 11 })),
  )
  let isFirst = true
  const db = connect('http://office.test/rest', {
    fetch: async (request) => {
      const answer = await rest.fetch(request)
      if (!isFirst || answer.body === null) return answer
      isFirst = false
      let text = ''
      const changed = new TransformStream<string, string>({
        transform(piece, controller) {
          const isBegun = text.includes('\n["="')
          text += piece
          if (isBegun) controller.enqueue(piece)
          else if (text.includes('\n["="')) controller.enqueue(change(text.split('\n')).join('\n'))
        },
      })
      const body = answer.body
        .pipeThrough(new TextDecoderStream() as never)
        .pipeThrough(changed)
        .pipeThrough(new TextEncoderStream())
      return new Response(body as never, { status: answer.status, headers: answer.headers })
    },
  })
  const shapes = { Company: true, Employee: true } as const
  const replica = await replicate(db, { dataClasses: CLASSES, shapes, pauses: PAUSES })
  return { store, replica }
}

const isColumns = (line: string): boolean => {
  const parsed: unknown = line === '' ? null : JSON.parse(line)
  return Array.isArray(parsed) && Array.isArray(parsed[1]) && typeof parsed[0] === 'number'
}

test('the first entities come by column, and equal those of the server', async () => {
  let columns = 0
  const { store, replica } = await replicaThrough((lines) => {
    columns = lines.filter(isColumns).length
    return lines
  })
  expect(columns).toBeGreaterThan(0)
  expect(rowsOf(replica.store.Employee.all())).toEqual(rowsOf(store.Employee.all()))
  replica.store.verify()
  await replica.close()
})

test('lines of single entities replace those of columns before and after them', async () => {
  const { store, replica } = await replicaThrough((lines) => {
    const at = lines.findIndex(isColumns)
    const [number, lists, stamps] = JSON.parse(lines[at]!) as [number, unknown[], number[]]
    const key = (lists[0] as string[])[5]!
    // Removed after its columns: the others stay. Sent before them: the columns are newer.
    const removed = JSON.stringify([number, key])
    expect(stamps.length).toBeGreaterThan(100)
    return [...lines.slice(0, at), removed, lines[at]!, removed, ...lines.slice(at + 1)]
  })
  expect(replica.store.Employee.count).toBe(STAFF - 1)
  const kept = new Set(replica.store.Employee.all().keys())
  const expected = store.Employee.all()
    .toArray()
    .filter(({ ID }) => kept.has(ID))
  expect(rowsOf(replica.store.Employee.all())).toEqual(rowsOf(expected))
  replica.store.verify()
  await replica.close()
})

test.each([
  ['a column that is too short', ([lists]: [unknown[][]]) => void lists[0]!.pop()],
  ['stamps that are missing', ([, stamps]: [unknown, number[]]) => void stamps.pop()],
])('%s ends the start', async (_, damage) => {
  const started = replicaThrough((lines) =>
    lines.map((line) => {
      if (!isColumns(line)) return line
      const [number, ...rest] = JSON.parse(line) as [number, unknown[][], number[]]
      damage(rest as never)
      return JSON.stringify([number, ...rest])
    }),
  )
  await expect(started).rejects.toThrow('The server has sent a line that is not one of a replica')
})
