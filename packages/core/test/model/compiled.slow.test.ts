import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UserFolder } from './compilers.ts'

let folder: UserFolder
beforeAll(() => {
  folder = new UserFolder()
  folder.addPrograms()
  folder.write('readme.ts', exampleOfReadme())
})
afterAll(() => folder.remove())

/** The model and its first use, with everything exported. */
function exampleOfReadme(): string {
  const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8')
  const blocks = [...readme.matchAll(/```ts run[^\n]*\n(.*?)\n```/gs)].map(([, block]) => block)
  const example = blocks.slice(0, 2).join('\n')
  expect(example).toContain('createDataStore(')
  expect(example).toContain('store.transact(')
  return `${example.replace(/^const /gm, 'export const ')}\n`
}

/**
 * A hundred dataclasses with ten attributes, two relations and what leads back over them, and what
 * a program does with every fourth.
 */
function largeProgram(): string {
  const numbers = Array.from({ length: 100 }, (_, i) => i)
  const target = (i: number): number => (i * 7 + 3) % 100
  const definition = (i: number): string => `const C${i} = defineDataClass('C${i}', {
    ID: attribute.long({ key: true, autoSequence: true }),
    name: attribute.string({ notNull: true, indexed: true }),
    city: attribute.string({ indexed: true }),
    amount: attribute.number({ min: 0 }),
    born: attribute.date({ dateOnly: true }),
    active: attribute.bool({ notNull: true, default: true }),
    notes: attribute.object<{ tags: string[] }>(),
    next: attribute.relatedEntity('C${target(i)}'),
    other: attribute.relatedEntity('C${(i * 13 + 5) % 100}', { onDelete: 'cascade' }),
    previous: attribute.relatedEntities('C${numbers.find((from) => target(from) === i)}', 'next'),
    label: attribute.computed('string', { get: (e: { name: string }) => e.name }),
  })`
  const use = (i: number): string => `{
    const one = store.C${i}.insert({ name: 'x', amount: 3 })
    store.C${i}.update(one.key, { amount: 4, next: null })
    store.dataClass('C${i}').update(one.key, (draft) => { draft.amount = 5 })
    const saved = store.transact((tx) => tx.C${i}.update(one.key, { city: 'Rome' }))
    const some = store.C${i}.query('amount > 3').orderBy('amount desc, next.name')
    const total = (selection: typeof some) => selection.sum('amount')
    total(some.page(0, 3))
    saved.previous.first()?.next?.previous.first()?.next?.name
    for (const each of some) each.other?.name
    some.select('name, next.name, other.city')[0]?.next?.name.length
    some.query((e) => e('next.amount', '>', 3).or(e('previous.born', '<', '2020-01-01').not()))
    store.at(3).C${i}.all().first()?.city
  }`
  return `import { attribute, createDataStore, defineDataClass } from '@entia/core'
${numbers.map(definition).join('\n')}
const store = createDataStore({ name: 'large', dataClasses: [${numbers.map((i) => `C${i}`).join(', ')}] })
${numbers
  .filter((i) => i % 4 === 0)
  .map(use)
  .join('\n')}
`
}

/** A mistake in each call but the last. */
const WRONG_VALUES = `import { attribute, createDataStore, defineDataClass } from '@entia/core'
const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true }),
  staff: attribute.number(),
})
const { Company: companies } = createDataStore({ name: 'x', dataClasses: [Company] })
companies.update(1, { nam: 'x' })
companies.update(1, { name: null })
companies.update(1, { staff: 'x' })
companies.load([{ nam: 'x' }])
companies.load([{ staff: 1 }])
companies.load([{ name: 'x', staff: 'x' }])
companies.load([{ name: 'x', nam: 1 }])
export const found: number = companies.load(JSON.parse('[]')).count
`

describe.each(['compile5', 'compile7'] as const)('%s', (compile) => {
  test('every program compiles, and its inferred types can be named in declarations', () => {
    const { errors } = folder[compile]()
    expect(errors).toEqual([])
  })

  test('a program for browsers compiles without other libraries, declarations included', () => {
    const lib = ['es2022', 'dom', 'dom.iterable']
    const others = { lib, types: [], skipLibCheck: false, skipDefaultLibCheck: true }
    expect(folder[compile](['readme.ts'], others).errors).toEqual([])
  })

  test('wrong values of a write are explained by their attribute', () => {
    writeFileSync(join(folder.path, 'wrong-values.ts'), WRONG_VALUES)
    const { errors } = folder[compile](['wrong-values.ts'])
    const explained = errors.map((text) => text.split('the following error.').at(-1))
    expect(explained).toEqual([
      expect.stringContaining("'nam' does not exist"),
      expect.stringContaining("'null' is not assignable to type 'string"),
      expect.stringContaining("'string' is not assignable to type 'number"),
      expect.stringContaining("'nam' does not exist"),
      expect.stringContaining("'name' is missing"),
      expect.stringContaining("'string' is not assignable to type 'number"),
      expect.stringContaining("'nam' does not exist"),
    ])
  })

  test('a model of a hundred dataclasses takes a bounded number of type instantiations', () => {
    folder.write('large.ts', largeProgram())
    const { errors, instantiations } = folder[compile](['large.ts'])
    expect(errors).toEqual([])
    expect(instantiations).toBeGreaterThan(100_000)
    expect(instantiations).toBeLessThan(540_000)
  })
})

test('editors show the name of a model that has one, not its attributes', () => {
  expect(Object.fromEntries(folder.hovers('named.ts'))).toEqual({
    store: 'HrStore',
    rich: 'Selection<Hr, "Employee">',
    ada: 'Entity<Hr, "Employee">',
    employer: 'Entity<Hr, "Company"> | null',
    staff: 'Selection<Hr, "Employee"> | undefined',
    saved: 'Entity<Hr, "Employee">',
    live: 'LiveQuery<Hr, "Employee">',
    past: 'SelectionReader<PastModel<Hr>, "Employee">',
    e: 'Where<Hr, "Employee">',
    condition: 'Condition<"Employee">',
    rows: 'readonly { readonly employer: { readonly name: string; } | null; readonly lastName: string | null; }[]',
  })
})
