import { attribute, createDataStore, defineDataClass } from '@entia/core'
import type { RestHandler, RestResponse } from '../../src/index.ts'

/** A clock that tests advance; it does not begin at 0. */
export class TestClock {
  at = Date.UTC(2024, 0, 31, 12, 30, 15, 250)
  now(): number {
    return this.at
  }
  monotonic(): number {
    return this.at
  }
}

/**
 * People with photos and files; an image that is mandatory, one that is computed, one of the
 * employer.
 */
export function createPeople(clock = new TestClock()) {
  const Company = defineDataClass('Company', {
    ID: attribute.long({ key: true, autoSequence: true }),
    logo: attribute.image(),
  })
  const Person = defineDataClass(
    'Person',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      name: attribute.string({ unique: true }),
      photo: attribute.image(),
      cv: attribute.blob(),
      hidden: attribute.image({ exposed: false }),
      sameAsPhoto: attribute.computed('image', {
        get: (person: { readonly photo: unknown }) => person.photo as never,
      }),
      broken: attribute.computed('image', { get: () => 'no image' as never }),
      employer: attribute.relatedEntity('Company'),
      logo: attribute.alias('employer.logo'),
    },
    {
      hooks: {
        validateSave: (person) =>
          person.cv !== null && person.cv.size > 100
            ? { errCode: 10_002, message: 'the file is too large' }
            : undefined,
      },
    },
  )
  const Badge = defineDataClass('Badge', {
    name: attribute.string({ key: true }),
    picture: attribute.image({ notNull: true }),
  })
  const store = createDataStore({ name: 'people', dataClasses: [Company, Person, Badge], clock })
  store.Person.insert({ name: 'Ada' })
  store.Person.insert({ name: 'Grace' })
  return store
}

/** Sends bytes as they are. */
export function sendBytes(
  rest: RestHandler,
  method: string,
  url: string,
  body: unknown,
  headers: { readonly [name: string]: string } = { 'content-type': 'application/octet-stream' },
): Promise<RestResponse> {
  return rest.handle({ method, url, headers, body })
}

/** The parsed body of an answer in JSON. */
// biome-ignore lint/suspicious/noExplicitAny: parsed JSON, looked into by expectations only
export function jsonOf({ body }: RestResponse): any {
  return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body))
}

export const status = ({ status, body }: RestResponse): readonly [number, readonly number[]] => {
  const parsed = JSON.parse(String(body))
  return [
    status,
    (parsed.__ERROR ?? []).map((entry: { readonly errCode: number }) => entry.errCode),
  ]
}
