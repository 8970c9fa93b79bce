import {
  type AnyDataStore,
  attribute,
  createDataStore,
  defineDataClass,
  type Untyped,
} from '@entia/core'
import type { Random } from '../../../core/test/differential/random.ts'
import type { Ports } from '../../../testing/src/conformance/ports.ts'
import { growingRecords } from '../growing-records.ts'
import { drawHooks, functionsOf } from './draw-code.ts'
import { keyOf, POOLS, type Type } from './values.ts'

/** An attribute of a drawn model. */
export interface Drawn {
  readonly name: string
  readonly kind: 'stored' | 'foreignKey' | 'media' | 'one' | 'many' | 'alias' | 'computed'
  /** Of its values; `object` where it has none that can be compared. */
  readonly type: Type
  /** Where a relation leads to. */
  readonly target?: string
}
export interface DrawnClass {
  readonly name: string
  readonly keyName: string
  readonly keyType: Type
  readonly isAuto: boolean
  readonly attributes: Drawn[]
  /** Keys that many requests use. */
  readonly keys: readonly (string | number)[]
}
export interface DrawnModel {
  readonly classes: readonly DrawnClass[]
  /** What a failure shows of the model. */
  readonly text: string
  /** An empty store of the model. Throws for a model that is refused. */
  create(ports: Ports): AnyDataStore
}

/** Types of keys, and whether they are automatic. */
const KEYS: readonly (readonly [Type, boolean])[] = [
  ...(['long', 'long64', 'uuid'] as const).flatMap((type): [Type, boolean][] => [
    [type, true],
    [type, false],
  ]),
  ['string', false],
  ['number', false],
]
const TYPES = Object.keys(POOLS) as Type[]

type Options = { [name: string]: unknown }
type Builders = { readonly [name: string]: (...values: readonly unknown[]) => unknown }
const builders = attribute as unknown as Builders

function built(type: Type | 'blob' | 'image', options: Options): unknown {
  if (type === 'day') return builders.date!({ dateOnly: true, ...options })
  if (type === 'exact') return builders.string!({ collation: 'exact', ...options })
  return builders[type]!(options)
}

function drawOptions(random: Random, type: Type): Options {
  const options: Options = {}
  if (random.chance(0.12)) options.notNull = true
  if (random.chance(0.08)) options.readOnly = true
  if (type === 'object') return options
  if (random.chance(0.35)) options.indexed = true
  if (type === 'string' && random.chance(0.25)) options.words = true
  const isNumber = ['long', 'long64', 'number', 'duration'].includes(type)
  const isText = type === 'string' || type === 'exact'
  // At most one of them: a default must obey the rules.
  const rule = random.below(6)
  if (rule === 0 && type !== 'bool') options.unique = true
  if (rule === 1) options.default = random.pick(POOLS[type])
  if (rule === 2 && isNumber) Object.assign(options, { min: -5, max: random.pick([50, 1e9]) })
  if (rule === 2 && isText)
    Object.assign(options, random.pick([{ maxLength: 5 }, { pattern: /^[^b]*$/ }]))
  return options
}

/** Draws dataclasses with related ones, rules, hooks and functions. */
export function drawModel(random: Random): DrawnModel {
  const names = Array.from({ length: 2 + random.below(3) }, (_, at) => `T${at}`)
  const lines: string[] = []
  const makers = new Map(names.map((name) => [name, new Map<string, () => unknown>()]))
  const classes = names.map((name): DrawnClass => {
    const [keyType, isAuto] = random.pick(KEYS)
    const keyName = random.pick(['ID', 'code', 'key'])
    const keys = Array.from({ length: 5 }, () => keyOf(random, keyType))
    return { name, keyName, keyType, isAuto, attributes: [], keys }
  })
  const add = (owner: DrawnClass, drawn: Drawn, options: unknown, make: () => unknown): void => {
    owner.attributes.push(drawn)
    makers.get(owner.name)!.set(drawn.name, make)
    lines.push(
      `${owner.name}.${drawn.name}: ${drawn.kind} ${drawn.type} ${JSON.stringify(options)}`,
    )
  }
  for (const owner of classes) {
    const { name, keyName, keyType, isAuto } = owner
    const options = { key: true, ...(isAuto && { autoSequence: true }) }
    makers.get(name)!.set(keyName, () => built(keyType, options))
    lines.push(`${name}.${keyName}: ${keyType} ${JSON.stringify(options)}`)
    for (let at = 3 + random.below(5); at > 0; at--) {
      const type = random.pick(TYPES)
      const own = drawOptions(random, type)
      add(owner, { name: `a${at}`, kind: 'stored', type }, own, () => built(type, own))
    }
    if (random.chance(0.4)) {
      const type = random.pick(['blob', 'image'] as const)
      add(owner, { name: 'media', kind: 'media', type: 'object' }, {}, () => built(type, {}))
    }
  }
  for (const owner of classes) relate(random, owner, classes, add)
  for (const owner of classes) derive(random, owner, classes, add)
  const hooks = classes.map((owner) => drawHooks(random, owner, names, lines))
  return {
    classes,
    text: lines.join('\n'),
    create(ports) {
      const dataClasses = classes.map((owner, at) => {
        const members = [...makers.get(owner.name)!].map(([name, make]) => [name, make()])
        const options = { hooks: hooks[at], functions: functionsOf(owner) }
        return defineDataClass(owner.name, Object.fromEntries(members), options as Untyped)
      })
      const Log = defineDataClass('Log', {
        ID: attribute.long({ key: true, autoSequence: true }),
        text: attribute.string(),
      })
      const all = [...dataClasses, Log] as Untyped
      const store = createDataStore({ name: 'drawn', dataClasses: all, ...ports })
      return growingRecords(store as unknown as AnyDataStore)
    },
  }
}

type Add = (owner: DrawnClass, drawn: Drawn, options: unknown, make: () => unknown) => void

/** Relations of a dataclass and their inverses. */
function relate(random: Random, owner: DrawnClass, classes: readonly DrawnClass[], add: Add): void {
  for (let at = random.pick([0, 1, 1, 2]); at > 0; at--) {
    const target = random.pick(classes)
    const name = `r${at}`
    const options: Options = {}
    if (random.chance(0.6)) options.onDelete = random.pick(['null', 'cascade', 'restrict'])
    if (random.chance(0.12) && target !== owner && options.onDelete !== 'null')
      options.notNull = true
    if (random.chance(0.3)) {
      const { keyType } = target
      options.foreignKey = `f${at}`
      const type = keyType === 'string' ? 'exact' : keyType
      const key: Drawn = { name: `f${at}`, kind: 'foreignKey', type }
      add(owner, key, {}, () => built(keyType, {}))
    }
    const relation: Drawn = { name, kind: 'one', type: 'object', target: target.name }
    add(owner, relation, options, () => builders.relatedEntity!(target.name, options))
    if (!random.chance(0.7)) continue
    const inverse = `m${owner.name}${at}`
    const many: Drawn = { name: inverse, kind: 'many', type: 'object', target: owner.name }
    add(target, many, {}, () => builders.relatedEntities!(owner.name, name))
  }
}

/** Aliases and computed attributes. */
function derive(random: Random, owner: DrawnClass, classes: readonly DrawnClass[], add: Add): void {
  const { attributes } = owner
  const one = attributes.find(({ kind }) => kind === 'one')
  const many = attributes.find(({ kind }) => kind === 'many')
  const scalars = attributes.filter(({ kind, type }) => kind === 'stored' && type !== 'object')
  const target = classes.find(({ name }) => name === one?.target)
  const shown = target?.attributes.find(({ kind, type }) => kind === 'stored' && type !== 'object')
  if (one !== undefined && shown !== undefined && random.chance(0.5)) {
    const path = `${one.name}.${shown.name}`
    add(owner, { name: 'l', kind: 'alias', type: shown.type }, path, () => builders.alias!(path))
  }
  if (scalars.length === 0 || random.chance(0.5)) return
  const of = random.pick(scalars)
  const type = random.pick(['string', 'number'] as const)
  const get = (entity: Untyped): string | number => {
    const count = many === undefined ? 0 : entity[many.name].count
    if (type === 'number') return count + String(entity[of.name]).length
    const related = one === undefined ? null : entity[one.name]
    return `${entity[of.name]}|${count}|${related?.key ?? '-'}`
  }
  const hasSetter = type === 'string' && of.type === 'string'
  const set = (value: unknown): object => ({ [of.name]: value })
  add(owner, { name: 'c', kind: 'computed', type }, of.name, () =>
    builders.computed!(type, { get, ...(hasSetter && { set }) }),
  )
}
