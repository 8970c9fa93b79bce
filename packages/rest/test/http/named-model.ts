import { attribute, createDataStore, defineDataClass, type Untyped } from '@entia/core'
import { png } from './images.ts'
import { fixedPorts } from './models.ts'

/** Dataclasses in each of which another kind of attribute is called `name`. */
export function defineNamed(name: string) {
  const key = attribute.long({ key: true, autoSequence: true })
  const note = attribute.string()
  const functions = {
    give: { on: 'entity', exposed: true, onHttpGet: true, run: ({ entity }: Untyped) => entity },
    giveAll: {
      on: 'dataClass',
      exposed: true,
      onHttpGet: true,
      run: ({ dataClass }: Untyped) => ({ all: dataClass.all(), list: dataClass.all().toArray() }),
    },
    rows: {
      on: 'selection',
      exposed: true,
      onHttpGet: true,
      run: ({ selection }: Untyped) => selection.select(listed(selection.dataClass.name, name)),
    },
    save: {
      on: 'dataClass',
      exposed: true,
      run: ({ dataClass, store }: Untyped, entity: Untyped) => {
        const saved = dataClass.update(entity.ID ?? 1, { note: 'by a function' })
        return [saved, entity, store.globalStamp]
      },
    },
  } as Untyped
  const own = (more: Untyped, options: Untyped = {}): Untyped => ({
    attributes: { ID: key, ...more, note },
    options,
  })
  const shapes: Record<string, Untyped> = {
    KeyText: { attributes: { [name]: attribute.string({ key: true }), note }, options: {} },
    KeyLong: { attributes: { [name]: key, note }, options: {} },
    Text: own({
      [name]: attribute.string({ indexed: true }),
      back: attribute.relatedEntities('One', name),
    }),
    Real: own({ [name]: attribute.number({ indexed: true }) }),
    Flag: own({ [name]: attribute.bool() }),
    Once: own({ [name]: attribute.string({ unique: true }) }),
    Set: own({
      base: attribute.string(),
      [name]: attribute.computed('string', {
        get: ({ base }: { base: string | null }) => base,
        set: (base: string | null) => ({ base }),
      }),
    }),
    Seen: own({ to: attribute.relatedEntity('Text'), [name]: attribute.alias(`to.${name}`) }),
    One: own({ [name]: attribute.relatedEntity('Text') }),
    Foreign: own({
      to: attribute.relatedEntity('Text', { foreignKey: name }),
      [name]: attribute.long(),
    }),
    Many: own({ [name]: attribute.relatedEntities('Child', 'up') }),
    Child: own({ up: attribute.relatedEntity('Many') }),
    Json: own({ [name]: attribute.object() }),
    Photo: own({ [name]: attribute.image() }),
    Blob: own({ [name]: attribute.blob() }),
  }
  return Object.entries(shapes).map(([className, { attributes, options }]) =>
    defineDataClass(className, attributes, { functions, ...options }),
  )
}

/** A store of these dataclasses. The values look like keys of other entities. */
export function createNamed(name: string) {
  const dataClasses = defineNamed(name)
  const classNames = dataClasses.map(({ name }) => name)
  const store = createDataStore({ name: 'named', dataClasses, ...fixedPorts() }) as Untyped
  const bytes = new Uint8Array([1, 2, 3])
  const values: Record<string, readonly unknown[]> = {
    KeyText: ['2', '1', '3'],
    Text: ['2', '1', '9'],
    Real: [2, 1, 9],
    Flag: [true, false, null],
    Once: ['2', '1', '9'],
    Set: ['2', '1', '9'],
    One: [2, 1, null],
    Foreign: [2, 1, null],
    Json: [{ zz: 2, [name]: 1 }, { [name]: { [name]: 2 } }, null],
    Photo: [{ mediaType: 'image/png', bytes: png(1, 1) }, null, null],
    Blob: [{ mediaType: 'application/octet-stream', bytes }, null, null],
  }
  for (const className of classNames)
    for (const at of [0, 1, 2]) {
      const extra =
        className === 'Child'
          ? { up: [2, 1, 1][at] }
          : className === 'Seen'
            ? { to: [2, 1, null][at] }
            : {}
      const value = values[className]?.[at]
      const named = value === undefined ? {} : { [name]: value }
      store.dataClass(className).insert({ note: `n${at}`, ...extra, ...named })
    }
  return { store, classNames }
}

/** The argument of `select`: an attribute, also of a related entity. */
function listed(className: string, name: string): string {
  if (['Child', 'Photo', 'Blob'].includes(className)) return 'note'
  return className === 'One' || className === 'Many' ? `${name}.note` : name
}

/** Values that a body may write, by dataclass; none if nothing can be written. */
export const writable = (className: string): readonly unknown[] =>
  new Map<string, readonly unknown[]>([
    ['KeyText', []],
    ['KeyLong', []],
    ['Text', ['1', '3', null]],
    ['Real', [1, 3]],
    ['Flag', [false]],
    ['Once', ['7', '1']],
    ['Set', ['1', '3']],
    ['One', [1, '3', { __KEY: '2' }, null, 99]],
    ['Foreign', [1, 3, null]],
    ['Json', [{ ID: 1 }, null]],
    ['Photo', [null]],
    ['Blob', [null]],
  ]).get(className) ?? []
