/** The parts of `@faker-js/faker` in use; any instance of it fits. */
export interface FakerLike {
  seed(seed: number): unknown
  readonly person: {
    firstName(): string
    lastName(): string
    fullName(): string
    jobTitle(): string
  }
  readonly company: { name(): string }
  readonly internet: { email(): string; url(): string; username(): string }
  readonly phone: { number(): string }
  readonly location: {
    city(): string
    country(): string
    state(): string
    streetAddress(): string
    zipCode(): string
  }
  readonly commerce: { productName(): string; department(): string }
  readonly color: { human(): string }
  readonly lorem: { sentence(): string; word(): string }
  readonly helpers: { fromRegExp(pattern: string): string }
}

type Maker = (faker: FakerLike) => string

/** Generators by attribute name in lower case. */
const byName: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ['firstname', (faker) => faker.person.firstName()],
  ['lastname', (faker) => faker.person.lastName()],
  ['surname', (faker) => faker.person.lastName()],
  ['fullname', (faker) => faker.person.fullName()],
  ['jobtitle', (faker) => faker.person.jobTitle()],
  ['job', (faker) => faker.person.jobTitle()],
  ['company', (faker) => faker.company.name()],
  ['email', (faker) => faker.internet.email()],
  ['mail', (faker) => faker.internet.email()],
  ['url', (faker) => faker.internet.url()],
  ['website', (faker) => faker.internet.url()],
  ['username', (faker) => faker.internet.username()],
  ['login', (faker) => faker.internet.username()],
  ['phone', (faker) => faker.phone.number()],
  ['city', (faker) => faker.location.city()],
  ['country', (faker) => faker.location.country()],
  ['state', (faker) => faker.location.state()],
  ['street', (faker) => faker.location.streetAddress()],
  ['address', (faker) => faker.location.streetAddress()],
  ['zip', (faker) => faker.location.zipCode()],
  ['zipcode', (faker) => faker.location.zipCode()],
  ['postcode', (faker) => faker.location.zipCode()],
  ['product', (faker) => faker.commerce.productName()],
  ['department', (faker) => faker.commerce.department()],
  ['color', (faker) => faker.color.human()],
  ['title', (faker) => faker.lorem.sentence()],
  ['description', (faker) => faker.lorem.sentence()],
  ['comment', (faker) => faker.lorem.sentence()],
  ['text', (faker) => faker.lorem.sentence()],
])

/** Dataclasses whose `name` is a company's and not a person's. */
const companies: ReadonlySet<string> = new Set([
  'company',
  'employer',
  'organization',
  'organisation',
  'supplier',
  'firm',
])

/** A text that suits an attribute's name; null for an unknown name. */
export function fakeText(faker: FakerLike, dataClass: string, attribute: string): string | null {
  const name = attribute.toLowerCase().replaceAll('_', '')
  if (name === 'name')
    return companies.has(dataClass.toLowerCase()) ? faker.company.name() : faker.person.fullName()
  return byName.get(name)?.(faker) ?? null
}

/** A text that matches the pattern; null if faker does not support the pattern. */
export function fakeMatch(faker: FakerLike, pattern: RegExp): string | null {
  // Faker supports neither anchors nor character classes such as \d.
  const source = pattern.source
    .replace(/^\^/, '')
    .replace(/\$$/, '')
    .replaceAll('\\d', '[0-9]')
    .replaceAll('\\w', '[A-Za-z0-9_]')
  const text = faker.helpers.fromRegExp(source)
  return pattern.test(text) ? text : null
}
