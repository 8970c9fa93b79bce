import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { buildCatalog } from '../../src/model/build-catalog.ts'

const get = () => null

const Thing = defineDataClass('Thing', {
  ID: attribute.long({ key: true }),
  flag: attribute.bool(),
  count: attribute.long(),
  large: attribute.long64(),
  amount: attribute.number(),
  word: attribute.string(),
  exact: attribute.string({ collation: 'exact' }),
  badge: attribute.uuid(),
  day: attribute.date({ dateOnly: true }),
  moment: attribute.date(),
  span: attribute.duration(),
  notes: attribute.object(),
  extra: attribute.object(),
  picture: attribute.image(),
  bytes: attribute.blob(),
  owner: attribute.relatedEntity('Thing', { foreignKey: 'ownerID' }),
  ownerID: attribute.long(),
  parts: attribute.relatedEntities('Thing', 'owner'),
  box: attribute.relatedEntity('Box', { foreignKey: 'boxCode' }),
  boxCode: attribute.uuid(),
  boxName: attribute.alias('box.name'),
  boxNotes: attribute.alias('box.notes'),
  ownerBadge: attribute.alias('owner.badge'),
  ownerBoxCode: attribute.alias('owner.box.code'),
  ownerSum: attribute.alias('owner.sum'),
  isOld: attribute.computed('bool', { get }),
  sum: attribute.computed('long', { get }),
  title: attribute.computed('string', { get }),
  token: attribute.computed('uuid', { get }),
  birthday: attribute.computed('date', { get, dateOnly: true }),
  instant: attribute.computed('date', { get }),
  shape: attribute.computed('object', { get }),
  icon: attribute.computed('image', { get }),
})

const Box = defineDataClass('Box', {
  code: attribute.uuid({ key: true }),
  name: attribute.string(),
  notes: attribute.object(),
  place: attribute.relatedEntity('Place'),
  things: attribute.relatedEntities('Thing', 'box'),
})

const Place = defineDataClass('Place', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  boxes: attribute.relatedEntities('Box', 'place'),
})

/**
 * Attributes of every type, stored and computed, keys of two types, relations in both directions,
 * aliases of several kinds.
 */
const kinds = buildCatalog({ name: 'kinds', dataClasses: [Thing, Box, Place] })
export const thing = kinds.byName.get('Thing')!
export const box = kinds.byName.get('Box')!
export const place = kinds.byName.get('Place')!
