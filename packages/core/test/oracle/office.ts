import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import type { AttributeType } from '../../src/value/types.ts'

/**
 * A small world with one of everything: each attribute type, both collations, relations in both
 * directions, a relation to the same class, a hidden foreign key, an alias, computed attributes. It
 * is defined twice: for the engine, and as a plain shape for the oracle, which must be independent
 * of the engine.
 */
const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string(),
  city: attribute.string({ indexed: true, words: true }),
  revenue: attribute.number(),
  employees: attribute.relatedEntities('Employee', 'employer'),
  badges: attribute.relatedEntities('Badge', 'issuer'),
})

const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ indexed: true, words: true }),
  code: attribute.string({ collation: 'exact' }),
  token: attribute.uuid(),
  level: attribute.long({ min: -5 }),
  serial: attribute.long64(),
  salary: attribute.number({ indexed: true }),
  active: attribute.bool(),
  born: attribute.date(),
  hired: attribute.date({ dateOnly: true }),
  shift: attribute.duration(),
  notes: attribute.object(),
  scan: attribute.blob(),
  employer: attribute.relatedEntity('Company', { foreignKey: 'employerID' }),
  employerID: attribute.long(),
  boss: attribute.relatedEntity('Employee'),
  team: attribute.relatedEntities('Employee', 'boss'),
  badges: attribute.relatedEntities('Badge', 'holder'),
  employerName: attribute.alias('employer.name'),
  doubled: attribute.computed('number', {
    get: (e: { readonly salary: number | null }) => (e.salary === null ? null : e.salary * 2),
  }),
  label: attribute.computed('string', {
    get: (e: { readonly name: string | null; readonly level: number | null }) =>
      e.level === null ? null : `${e.name ?? ''} ${e.level}`,
  }),
})

/** Keys are text. A badge is removed with its holder, and it prevents the removal of its issuer. */
const Badge = defineDataClass('Badge', {
  code: attribute.string({ key: true }),
  number: attribute.long({ unique: true }),
  colour: attribute.string({ notNull: true, maxLength: 8, default: 'red' }),
  holder: attribute.relatedEntity('Employee', { onDelete: 'cascade' }),
  issuer: attribute.relatedEntity('Company', { foreignKey: 'issuerID', onDelete: 'restrict' }),
  issuerID: attribute.long(),
})

export const OFFICE = [Company, Employee, Badge] as const
export type ClassName = 'Company' | 'Employee' | 'Badge'
export const CLASS_NAMES: readonly ClassName[] = ['Company', 'Employee', 'Badge']

/** A value of the oracle in the form of entities: dates as ISO text, bytes as a mark only. */
type PlainValue = unknown
/** An entity as a plain object: storage attributes and foreign keys by name. */
export type Row = { readonly [attribute: string]: PlainValue }
/** Every dataclass as an array in record order. */
export type PlainData = { readonly [K in ClassName]: readonly Row[] }

export type PlainAttribute =
  | {
      readonly kind: 'value'
      readonly type: AttributeType
      readonly isExact?: boolean
      readonly dateOnly?: boolean
    }
  | {
      readonly kind: 'computed'
      readonly type: AttributeType
      readonly get: (row: Row) => PlainValue
    }
  | { readonly kind: 'alias'; readonly path: readonly string[] }
  /** `foreignKey` is the property of this row that holds the target's key. */
  | {
      readonly kind: 'one'
      readonly target: ClassName
      readonly foreignKey: string
      readonly onDelete: OnDelete
    }
  /** `foreignKey` is the property of the target's rows that holds this row's key. */
  | { readonly kind: 'many'; readonly target: ClassName; readonly foreignKey: string }
type OnDelete = 'restrict' | 'null' | 'cascade'
export interface PlainClass {
  readonly key: string
  readonly attributes: { readonly [name: string]: PlainAttribute }
}

const value = (type: AttributeType): PlainAttribute => ({ kind: 'value', type })

export const SHAPE: { readonly [K in ClassName]: PlainClass } = {
  Company: {
    key: 'ID',
    attributes: {
      ID: value('long'),
      name: value('string'),
      city: value('string'),
      revenue: value('number'),
      employees: { kind: 'many', target: 'Employee', foreignKey: 'employerID' },
      badges: { kind: 'many', target: 'Badge', foreignKey: 'issuerID' },
    },
  },
  Employee: {
    key: 'ID',
    attributes: {
      ID: value('long'),
      name: value('string'),
      code: { kind: 'value', type: 'string', isExact: true },
      token: { kind: 'value', type: 'uuid', isExact: true },
      level: value('long'),
      serial: value('long64'),
      salary: value('number'),
      active: value('bool'),
      born: value('date'),
      hired: { kind: 'value', type: 'date', dateOnly: true },
      shift: value('duration'),
      notes: value('object'),
      scan: value('blob'),
      employer: { kind: 'one', target: 'Company', foreignKey: 'employerID', onDelete: 'null' },
      employerID: value('long'),
      boss: { kind: 'one', target: 'Employee', foreignKey: 'boss', onDelete: 'null' },
      team: { kind: 'many', target: 'Employee', foreignKey: 'boss' },
      badges: { kind: 'many', target: 'Badge', foreignKey: 'holder' },
      employerName: { kind: 'alias', path: ['employer', 'name'] },
      doubled: {
        kind: 'computed',
        type: 'number',
        get: ({ salary }) => (typeof salary === 'number' ? salary * 2 : null),
      },
      label: {
        kind: 'computed',
        type: 'string',
        get: ({ name, level }) => (level === null ? null : `${name ?? ''} ${level}`),
      },
    },
  },
  Badge: {
    key: 'code',
    attributes: {
      code: { kind: 'value', type: 'string', isExact: true },
      number: value('long'),
      colour: value('string'),
      holder: { kind: 'one', target: 'Employee', foreignKey: 'holder', onDelete: 'cascade' },
      issuer: { kind: 'one', target: 'Company', foreignKey: 'issuerID', onDelete: 'restrict' },
      issuerID: value('long'),
    },
  },
}

/** The related rows of one row, in record order. A missing row has none. */
export function related(
  data: PlainData,
  className: ClassName,
  row: Row | null,
  name: string,
): readonly Row[] {
  const relation = SHAPE[className].attributes[name]
  if (row === null || (relation.kind !== 'one' && relation.kind !== 'many')) return []
  const rows = data[relation.target]
  if (relation.kind === 'many')
    return rows.filter((other) => other[relation.foreignKey] === row[SHAPE[className].key])
  return rows.filter(
    (other) =>
      row[relation.foreignKey] !== null &&
      other[SHAPE[relation.target].key] === row[relation.foreignKey],
  )
}
