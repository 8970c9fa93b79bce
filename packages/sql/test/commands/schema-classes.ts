import { attribute, defineDataClass } from '@entia/core'
import { dataClassFrom } from '@entia/core/schema'
import { z } from 'zod'

// The dataclasses of the club whose values are changed or computed: a schema trims and completes
// them, or they have the names of marks and values that are not JSON. `model.ts` has the hooks.

/** What a form holds once the schema has read it: the schema accepts it and changes nothing. */
export const formSchema = z
  .object({
    code: z.string().trim().toUpperCase().min(1).max(5),
    email: z.string().trim().toLowerCase().max(12),
    mode: z.enum(['open', 'shut']).default('open'),
    place: z
      .object({ city: z.string().trim(), zip: z.string().default('0') })
      .nullable()
      .optional(),
    sent: z.iso.datetime().nullable().optional(),
    fee: z.number().min(0).max(100).nullable().optional(),
    count: z.int32().default(1),
    player: z.int32().nullable().optional(),
  })
  .check(({ value, issues }) => {
    if (value.mode === 'shut' && value.fee === null)
      issues.push({ code: 'custom', message: 'A shut form has a fee', input: value })
  })

export const Form = dataClassFrom('Form', formSchema, {
  key: 'code',
  attributes: { player: attribute.relatedEntity('Player', { onDelete: 'null' }) },
})

export const Door = defineDataClass('Door', {
  ID: attribute.uuid({ key: true }),
  key: attribute.long(),
  stamp: attribute.long(),
  day: attribute.date({ dateOnly: true }),
  origin: attribute.string({ readOnly: true, default: 'here' }),
  player: attribute.relatedEntity('Player'),
  opened: attribute.computed('object', {
    get: (door: { key: number | null }) => ({ at: new Date(0), by: undefined, width: door.key }),
  }),
  width: attribute.computed('number', {
    get: (door: { key: number | null }) => 1 / (door.key ?? 0),
  }),
  checked: attribute.computed('date', { get: () => new Date(0) }),
})
