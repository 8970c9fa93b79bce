import type { Untyped } from '@entia/core'
import type { Random } from '../../../core/test/differential/random.ts'
import type { DrawnClass } from './draw-model.ts'

// Hooks and functions of drawn models. What after-hooks write is not read by other code: over SQL
// those of a function run when it has ended.

/** A number of a key that is the same in every store. */
const hash = (key: unknown): number =>
  [...String(key)].reduce((all, sign) => (all * 31 + sign.codePointAt(0)!) % 1009, 7)

/** Hooks that read and write, each with some chance. */
export function drawHooks(
  random: Random,
  { name, attributes }: DrawnClass,
  names: readonly string[],
  lines: string[],
): object {
  const texts = attributes.filter(({ kind, type }) => kind === 'stored' && type === 'string')
  const text = texts[0]?.name
  const one = attributes.find(({ kind }) => kind === 'one')?.name
  const many = attributes.find(({ kind }) => kind === 'many')?.name
  const other = random.pick(names)
  const how = random.below(3)
  const hooks: { [hook: string]: unknown } = {}
  const add = (hook: string, share: number, run: (...values: Untyped[]) => unknown): void => {
    if (!random.chance(share)) return
    hooks[hook] = run
    lines.push(`${name}.${hook}: ${other} ${how}`)
  }
  if (text !== undefined) {
    add('init', 0.3, (draft) => {
      draft[text] = 'i'
    })
    add('beforeSave', 0.5, (draft, { store, before }) => {
      if (draft[text] === 'boom') throw new Error('boom')
      if (how === 0) draft[text] = `${store.dataClass(other).all().count % 7}`
      else if (how === 1 && draft[text] === 'a') store.dataClass('Log').insert({ text: 'before' })
      else if (many !== undefined && before !== null) draft[text] = `${before[many].count}`
      else if (one !== undefined) draft[text] = `${draft[one]?.key ?? '-'}`.slice(0, 4)
    })
  }
  add('validateSave', 0.3, (entity, { store }) => {
    if (how === 0 && store.dataClass(name).all().count > 14)
      return { errCode: 10_001, message: 'full' }
    if (how === 1 && text !== undefined && entity[text] === 'B')
      return [
        { errCode: 10_002, message: 'B', attribute: text },
        { errCode: 10_003, message: 'also' },
      ]
    return null
  })
  add('validateRemove', 0.3, ({ key }, { store }) =>
    hash(key) % 4 === 0 && store.dataClass(name).all().count < 4
      ? { errCode: 10_004, message: 'kept' }
      : null,
  )
  for (const hook of ['afterSave', 'afterRemove'])
    add(hook, 0.3, ({ key }, { store }) => {
      if (hash(key) % 3 === 0) store.dataClass('Log').insert({ text: hook })
    })
  return hooks
}

/** Functions that read, and that write in loops and transactions. */
export function functionsOf({ attributes }: DrawnClass): object {
  const stored = attributes.filter(({ kind, type }) => kind === 'stored' && type !== 'object')
  const text = stored.find(({ type }) => type === 'string')?.name
  const of = (on: string, run: (context: Untyped, ...values: Untyped[]) => unknown): object => {
    return { on, exposed: true, run }
  }
  return {
    sweep: of('selection', ({ selection }, most) => selection.slice(0, most).remove()),
    touch: of('selection', ({ selection, store, dataClass }, value) => {
      const done: unknown[] = []
      for (const { key, stamp } of selection) {
        if (text !== undefined) dataClass.update(key, { [text]: value })
        store.dataClass('Log').insert({ text: 'touch' })
        done.push(key, stamp)
      }
      return done
    }),
    values: of('selection', ({ selection }) =>
      stored.map(({ name }) => [
        selection.distinct(name),
        selection.min(name),
        selection.groupBy(name, { count: true }).toArray(),
      ]),
    ),
    near: of('entity', ({ entity }) =>
      attributes.flatMap(({ name, kind }) =>
        kind === 'one' ? [entity[name]] : kind === 'many' ? [entity[name].keys()] : [],
      ),
    ),
    enter: of('dataClass', ({ store, dataClass }, rows, fails) =>
      store.transact(() => {
        const keys = rows.map((row: object) => dataClass.insert(row).key)
        if (fails) throw new Error('no')
        return [keys, dataClass.all().count]
      }),
    ),
  }
}
