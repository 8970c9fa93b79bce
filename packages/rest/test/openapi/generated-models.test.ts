import { attribute, createDataStore, defineDataClass } from '@entia/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { createRestHandler, openApiOf } from '../../src/index.ts'
import { fixedPorts } from '../http/models.ts'
import { send } from '../http/send.ts'
import { DocumentValidator } from './document-validator.ts'

/** An attribute with some options, and JSON values for it, most of them valid. */
interface Drawn {
  readonly definition: object
  readonly sent: fc.Arbitrary<unknown>
}

const flags = (...names: readonly string[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, fc.constant(true)])), {
    requiredKeys: [],
  })
const oneOf = (names: readonly string[], values: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { arbitrary: fc.constant({}), weight: 2 },
    fc.tuple(fc.constantFrom(...names), values).map(([name, value]) => ({ [name]: value })),
  )

const moments = fc
  .date({ min: new Date('0000-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
  .map((moment) => moment.toISOString())
const days = moments.map((moment) => moment.slice(0, 10))
const texts = fc.string({ unit: 'grapheme', maxLength: 4 })
const defaultProjections = fc.integer({ min: -9, max: 9 })

/** Per type: its own options, defaults and values. */
const STORED: {
  readonly [type in
    | 'bool'
    | 'long'
    | 'long64'
    | 'number'
    | 'duration'
    | 'string'
    | 'uuid'
    | 'date'
    | 'object']: readonly [options: fc.Arbitrary<object>, values: fc.Arbitrary<unknown>]
} = {
  bool: [fc.constant({}), fc.boolean()],
  long: [oneOf(['min', 'max'], defaultProjections), fc.oneof(defaultProjections, fc.integer())],
  long64: [
    oneOf(['min', 'max'], defaultProjections),
    fc.oneof(defaultProjections, fc.maxSafeInteger()),
  ],
  number: [
    oneOf(['min', 'max'], fc.double({ noNaN: true, noDefaultInfinity: true })),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  ],
  duration: [oneOf(['min'], defaultProjections), fc.nat()],
  string: [
    fc.oneof(
      oneOf(['minLength', 'maxLength'], fc.nat(3)),
      oneOf(['pattern'], fc.constantFrom(/^\w*$/, /^\p{L}*$/u, /^a/i, /^[_a]*$/, /./s)),
      oneOf(['collation'], fc.constantFrom('exact', 'folded')),
    ),
    fc.oneof(texts, fc.constantFrom('', 'a', 'é', '😀😀', '__proto__')),
  ],
  uuid: [fc.constant({}), fc.uuid()],
  date: [fc.constant({}), moments],
  object: [fc.constant({}), fc.jsonValue({ maxDepth: 2 })],
}

const stored: fc.Arbitrary<Drawn> = fc
  .constantFrom(...(Object.keys(STORED) as (keyof typeof STORED)[]))
  .chain((type) => {
    const [own, values] = STORED[type]
    const compared =
      type === 'object' ? ['notNull', 'readOnly'] : ['notNull', 'readOnly', 'indexed', 'unique']
    return fc
      .tuple(flags(...compared), own, type === 'date' ? flags('dateOnly') : fc.constant({}))
      .map(([common, more, dateOnly]) => ({
        definition: (attribute[type] as (options: object) => object)({
          ...common,
          ...more,
          ...dateOnly,
        }),
        sent: Object.hasOwn(dateOnly, 'dateOnly') ? days : values,
      }))
  })

const others: fc.Arbitrary<Drawn> = fc.constantFrom<Drawn>(
  { definition: attribute.image(), sent: fc.constant(null) },
  { definition: attribute.blob({ notNull: true }), sent: fc.constant(null) },
  { definition: attribute.computed('string', { get: () => 'x' }), sent: fc.constant('x') },
  {
    definition: attribute.computed('date', { get: () => null, set: () => ({}), dateOnly: true }),
    sent: days,
  },
  { definition: attribute.computed('object', { get: () => ({ a: [1] }) }), sent: fc.jsonValue() },
  {
    definition: attribute.relatedEntity('Größe' as never, { onDelete: 'cascade' }),
    sent: fc.constant(null),
  },
  { definition: attribute.alias('self.key_'), sent: fc.constant(null) },
)

const keys: fc.Arbitrary<Drawn> = fc.constantFrom<Drawn>(
  {
    definition: attribute.long({ key: true, autoSequence: true }),
    sent: fc.integer({ min: 1, max: 5 }),
  },
  { definition: attribute.long64({ key: true }), sent: fc.maxSafeInteger() },
  {
    definition: attribute.number({ key: true }),
    sent: fc.double({ noNaN: true, noDefaultInfinity: true }),
  },
  { definition: attribute.string({ key: true, maxLength: 3 }), sent: texts },
  { definition: attribute.uuid({ key: true }), sent: fc.uuid() },
)

const models = fc.tuple(
  keys,
  fc.array(fc.oneof({ arbitrary: stored, weight: 4 }, others), { maxLength: 6 }),
)

test('every answer about a generated model conforms to its document', async () => {
  const property = fc.asyncProperty(
    models,
    fc.boolean(),
    fc.gen(),
    async ([key, drawn], isShort, draw) => {
      const attributes = new Map<string, Drawn>([
        ['key_', key],
        ...drawn.map((one, i) => [`a${i}`, one] as const),
      ])
      const dateOnlyFormat = isShort ? 'd!m!yyyy' : '!!yyyy-mm-dd!!'
      const faults: string[] = []
      const { home, ask } = serve(attributes, dateOnlyFormat, faults)
      const drawValue = ({ sent }: Drawn): unknown =>
        draw(fc.nat, { max: 5 }) === 0 ? null : draw(() => sent)
      const item = () =>
        Object.fromEntries(
          [...attributes]
            .filter(() => draw(fc.boolean))
            .map(([name, one]) => [name, drawValue(one)] as const),
        )
      for (const query of [
        '',
        '?$refresh=true',
        '?$method=insert&$expand=self',
        '?$atomic=true&$attributes=*',
      ]) {
        const { body } = await ask('POST', `${home}${query}`, item())
        await ask('POST', `${home}${query}`, [item(), item()])
        const { uri, __STAMP: stamp } = body ?? {}
        if (typeof uri !== 'string' || query.includes('$refresh')) continue
        const read = await ask('GET', uri)
        await ask('PUT', uri, item())
        await ask('PUT', uri, { ...item(), __STAMP: stamp + 5 })
        await ask('POST', uri, read.body)
        await ask('GET', `${uri}/selves?$expand=selves`)
        await ask('GET', `${uri}/key_,self`)
        if (draw(fc.boolean)) await ask('DELETE', uri)
      }
      for (const query of READS) {
        const { body } = await ask('GET', `${home}${query}`)
        const set = body?.__ENTITYSET
        if (typeof set !== 'string') continue
        await ask('GET', set)
        await ask('GET', `${set}?$method=release`)
      }
      for (const name of attributes.keys())
        for (const query of ['', '?$compute=$all', '?$compute=max', '?$distinct=true'])
          await ask('GET', `${home}/${name}${query}`)
      expect(faults).toEqual([])
    },
  )
  await fc.assert(property, { ...runs(30), endOnFailure: true })
})

const READS = [
  ...[
    '',
    '?$expand=self,selves',
    '?$asArray=true',
    '?$format=dashboard',
    '?$queryplan=true&$querypath=true',
  ],
  ...['?$method=entityset', '?$attributes=self.*'],
]

/** Serves a store of one dataclass, and validates every exchange. */
function serve(
  attributes: ReadonlyMap<string, Drawn>,
  dateOnlyFormat: 'd!m!yyyy' | '!!yyyy-mm-dd!!',
  faults: string[],
) {
  const Größe = defineDataClass('Größe', {
    ...Object.fromEntries([...attributes].map(([name, { definition }]) => [name, definition])),
    self: attribute.relatedEntity('Größe'),
    selves: attribute.relatedEntities('Größe', 'self'),
  } as never)
  const store = createDataStore({
    name: 'generated',
    dataClasses: [Größe],
    ...fixedPorts(),
  } as never) as never
  const options = { openapi: true, dateOnlyFormat }
  const rest = createRestHandler(store, options)
  const validator = new DocumentValidator(JSON.parse(JSON.stringify(openApiOf(store, options))))
  const ask = async (method: string, url: string, sent?: unknown) => {
    const { status, headers, body, text } = await send(rest, method, url, sent)
    if (status >= 500) faults.push(`${method} ${url} ${JSON.stringify(sent)}: ${text}`)
    const exchange = { method, url, status, contentType: headers['content-type'], answered: body }
    const found = validator.faultsOf({ ...exchange, ...(sent === undefined ? {} : { sent }) })
    faults.push(...found.map((fault) => `${method} ${url}: ${fault}`))
    return { status, body }
  }
  return { home: `/rest/${encodeURIComponent('Größe')}`, ask }
}
