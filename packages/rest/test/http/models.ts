import { type AnyDataStore, attribute, createDataStore, defineDataClass } from '@entia/core'

/** The clock stays at a known time, and ids count up: answers are the same in every run. */
export function fixedPorts() {
  let issued = 0
  const nextId = (): string => (++issued).toString(16).padStart(32, '0')
  return {
    clock: { now: () => Date.UTC(2024, 0, 31, 12, 30, 15, 250), monotonic: () => 1 },
    ids: { uuid: nextId, token: nextId },
  }
}

/** A company and its people, a class that is hidden, and one whose keys are text. */
export function createHr() {
  const Company = defineDataClass('Company', {
    ID: attribute.long({ key: true, autoSequence: true }),
    name: attribute.string({ notNull: true, indexed: true }),
    city: attribute.string({ indexed: true }),
    revenue: attribute.number(),
    secretRating: attribute.number({ exposed: false }),
    employees: attribute.relatedEntities('Employee', 'employer'),
    owner: attribute.relatedEntity('Setting', { foreignKey: 'ownerName' }),
    ownerName: attribute.string({ exposed: false }),
  })
  const Employee = defineDataClass(
    'Employee',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      firstName: attribute.string(),
      lastName: attribute.string({ indexed: true }),
      email: attribute.string({ unique: true, collation: 'exact' }),
      salary: attribute.number({ indexed: true, min: 0, max: 60_000 }),
      birthDate: attribute.date({ dateOnly: true }),
      hired: attribute.date(),
      active: attribute.bool(),
      notes: attribute.object(),
      photo: attribute.image(),
      cv: attribute.blob(),
      employer: attribute.relatedEntity('Company', {
        foreignKey: 'employerID',
        onDelete: 'restrict',
      }),
      employerID: attribute.long(),
      fullName: attribute.computed('string', {
        get: (e: { firstName: string | null; lastName: string | null }) =>
          `${e.firstName} ${e.lastName}`,
      }),
      employerName: attribute.alias('employer.name'),
      employerRating: attribute.alias('employer.secretRating'),
    },
    {
      functions: {
        bestPaid: {
          on: 'dataClass',
          exposed: true,
          run: ({ dataClass }) => dataClass.all().first(),
        },
        greet: {
          on: 'entity',
          exposed: true,
          onHttpGet: true,
          run: ({ entity }, word: string) => `${word} ${entity.firstName}`,
        },
        hidden: { on: 'dataClass', run: () => 1 },
      },
      hooks: {
        validateSave: (entity) =>
          entity.lastName === 'Refused'
            ? { errCode: 10001, message: 'the name is refused' }
            : undefined,
      },
      extraProperties: { panelColor: '#3366cc' },
    },
  )
  const Setting = defineDataClass('Setting', {
    name: attribute.string({ key: true }),
    value: attribute.string(),
  })
  const Secret = defineDataClass(
    'Secret',
    { ID: attribute.long({ key: true }) },
    { exposed: false },
  )
  const store = createDataStore({
    name: 'hr',
    dataClasses: [Company, Employee, Setting, Secret],
    functions: { ping: { exposed: true, onHttpGet: true, run: () => 'pong' } },
    singletons: { VehicleFactory: { buildVehicle: { exposed: true, run: () => null } } },
    ...fixedPorts(),
  })
  for (const [name, city, revenue] of [
    ['Adobe', 'San Jose', 500_000],
    ['Apple', 'Cupertino', 890_000],
    ['4D', 'Clichy', 700_000],
    ['Empty', null, null],
  ] as const)
    store.Company.insert({ name, city, revenue })
  for (const [firstName, lastName, email, salary, employer] of [
    ['Ada', 'Byron', 'ada@x.org', 50_000, 1],
    ['Grace', 'Hopper', 'grace@x.org', 40_000, 1],
    ['Ann', "O'Reilly", 'ann@x.org', 30_000, 2],
    ['Émile', 'Zola', 'emile@x.org', null, null],
  ] as const)
    store.Employee.insert({ firstName, lastName, email, salary, employer })
  store.Employee.update(1, {
    birthDate: '1980-01-15',
    notes: { tags: ['a', 'b'], level: { n: 3 } },
    active: true,
  })
  store.Setting.insert({ name: 'a/b "c"', value: 'odd' })
  store.Setting.insert({ name: 'plain', value: 'even' })
  return store
}

/**
 * A class whose rules are hidden: an attribute that must not be null and one that must be unique, a
 * relation whose target is checked, and a hidden class that prevents deletions and that its hook
 * writes.
 */
export function createGuarded() {
  const Account = defineDataClass(
    'Account',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      name: attribute.string(),
      nickname: attribute.string({ minLength: 2 }),
      shadowCode: attribute.string({ exposed: false, notNull: true, default: 'none' }),
      shadowRank: attribute.long({ exposed: false, unique: true, max: 9 }),
      shadowOwner: attribute.relatedEntity('Account', {
        foreignKey: 'shadowOwnerID',
        exposed: false,
      }),
      shadowOwnerID: attribute.long({ exposed: false }),
      vault: attribute.relatedEntity('Vault', { foreignKey: 'vaultID' }),
      vaultID: attribute.long({ exposed: false }),
    },
    {
      hooks: {
        beforeSave: (entity, { store }) => {
          if (entity.name === 'codeless') entity.shadowCode = null as unknown as string
          if (entity.name === 'twin') entity.shadowRank = 1
          if (entity.name === 'great') entity.shadowRank = 10
          if (entity.name === 'orphan') entity.shadowOwnerID = 99
          if (entity.name === 'spy')
            (store as AnyDataStore).dataClass('Vault').insert({ label: null })
          if (entity.name === 'thief') (store as AnyDataStore).dataClass('Vault').remove(99)
        },
      },
    },
  )
  const Vault = defineDataClass(
    'Vault',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      label: attribute.string({ notNull: true }),
      keeper: attribute.relatedEntity('Account', { onDelete: 'restrict' }),
    },
    { exposed: false },
  )
  const store = createDataStore({ name: 'guarded', dataClasses: [Account, Vault], ...fixedPorts() })
  store.Account.insert({ name: 'first', shadowRank: 1 })
  store.Account.insert({ name: 'second', shadowRank: 2 })
  store.Vault.insert({ label: 'gold', keeper: 1 })
  return store
}

/** Users, products, orders and payments of the documentation's examples. */
export function createOrders() {
  const Users = defineDataClass('Users', {
    ID: attribute.long({ key: true, autoSequence: true }),
    Name: attribute.string(),
    Email: attribute.string(),
    Orders: attribute.relatedEntities('Orders', 'Purchaser'),
  })
  const Products = defineDataClass('Products', {
    ID: attribute.long({ key: true, autoSequence: true }),
    Name: attribute.string(),
  })
  const Orders = defineDataClass('Orders', {
    ID: attribute.long({ key: true, autoSequence: true }),
    Quantity: attribute.long(),
    Purchaser: attribute.relatedEntity('Users'),
    OrderedProduct: attribute.relatedEntity('Products'),
    paymentsSelection: attribute.relatedEntities('Payments', 'Order'),
  })
  const Payments = defineDataClass('Payments', {
    ID: attribute.long({ key: true, autoSequence: true }),
    Amount: attribute.number(),
    PaymentDate: attribute.date({ dateOnly: true }),
    Order: attribute.relatedEntity('Orders'),
  })
  const store = createDataStore({
    name: 'orders',
    dataClasses: [Users, Products, Orders, Payments],
    ...fixedPorts(),
  })
  for (let n = 1; n <= 10; n++)
    store.Users.insert({ Name: `user${n}`, Email: `user${n}@example.com` })
  for (let n = 1; n <= 5; n++) store.Products.insert({ Name: `product${n}` })
  for (let n = 1; n <= 20; n++) {
    const special = new Map([
      [1, { Quantity: 1, Purchaser: 1, OrderedProduct: 5 }],
      [10, { Quantity: 2, Purchaser: 4, OrderedProduct: 1 }],
      [20, { Quantity: 5, Purchaser: 2, OrderedProduct: 2 }],
    ]).get(n)
    store.Orders.insert(
      special ?? { Quantity: n % 4, Purchaser: n % 2 === 0 ? 2 : 3, OrderedProduct: 3 },
    )
  }
  for (let n = 1; n <= 20; n++)
    store.Payments.insert({
      Amount: n === 1 ? 124 : n === 2 ? -128 : n === 3 ? 16 : 0,
      PaymentDate: `2024-01-${String(n === 20 ? 29 : n).padStart(2, '0')}`,
      Order: 1,
    })
  return store
}
