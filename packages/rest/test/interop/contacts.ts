import { attribute, createDataStore, defineDataClass, EntiaError } from '@entia/core'
import { fixedPorts } from '../http/models.ts'
import { companyRows, employeeRows, PLACES, productRows } from './contacts-data.ts'

/**
 * Companies, their employees and where these live, and products: of every kind of attribute,
 * relation, hook and function that the client supports. 62 companies, 1000 employees, 25
 * products; `Payslip` is hidden from clients.
 */
export function createContacts() {
  const Company = defineDataClass('Company', {
    ID: attribute.long({ key: true, autoSequence: true }),
    name: attribute.string({ notNull: true, indexed: true, maxLength: 60 }),
    founded: attribute.date(),
    staff: attribute.relatedEntities('Employee', 'employer'),
    manager: attribute.relatedEntity('Employee'),
  })
  const Employee = defineDataClass(
    'Employee',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      firstName: attribute.string(),
      lastName: attribute.string({ indexed: true }),
      salary: attribute.number({ min: 0 }),
      birthDate: attribute.date(),
      hiringDate: attribute.date({ dateOnly: true }),
      isActive: attribute.bool(),
      details: attribute.object<{ skills: readonly string[] }>(),
      pin: attribute.string({ exposed: false, default: '0000' }),
      photo: attribute.image(),
      resume: attribute.blob(),
      employer: attribute.relatedEntity('Company', { onDelete: 'restrict' }),
      managed: attribute.relatedEntities('Company', 'manager'),
      home: attribute.relatedEntity('Place'),
      employerName: attribute.alias('employer.name'),
      salaryProcessed: attribute.computed('string', {
        get: ({ salary }: { salary: number | null }) =>
          salary === null ? null : `${salary} a year`,
      }),
    },
    {
      functions: {
        bestPaid: {
          on: 'dataClass',
          exposed: true,
          run: ({ dataClass }, count: number) =>
            dataClass.all().orderBy('salary desc').page(0, count),
        },
        newest: {
          on: 'dataClass',
          exposed: true,
          run: ({ dataClass }) => dataClass.all().orderBy('ID desc').first(),
        },
        noOne: { on: 'dataClass', exposed: true, run: () => null },
        listed: { on: 'dataClass', exposed: true, run: (_, ...words: unknown[]) => ({ words }) },
        askedBy: {
          on: 'dataClass',
          exposed: true,
          run: ({ session }) => session?.user?.userName ?? 'a guest',
        },
        closed: {
          on: 'dataClass',
          exposed: true,
          run: () => {
            throw new EntiaError('functionRefused', { errCode: 10_001, message: 'closed today' })
          },
        },
        own: { on: 'dataClass', run: () => 1 },
        payroll: {
          on: 'selection',
          exposed: true,
          run: ({ selection }) => selection.sum('salary'),
        },
        paidOver: {
          on: 'selection',
          exposed: true,
          run: ({ selection }, limit: number) => selection.query('salary > :1', [limit]),
        },
        raise: {
          on: 'entity',
          exposed: true,
          run: ({ entity, dataClass }, by: number) =>
            dataClass.update(entity.ID, { salary: (entity.salary ?? 0) + by }),
        },
        greet: {
          on: 'entity',
          exposed: true,
          run: ({ entity }, word: string) => `${word} ${entity.firstName}`,
        },
        colleagues: {
          on: 'entity',
          exposed: true,
          run: ({ entity, dataClass }) =>
            dataClass.query('employer.ID = :1 and ID != :2', [entity.employer?.ID ?? 0, entity.ID]),
        },
      },
    },
  )
  const Place = defineDataClass('Place', {
    name: attribute.string({ key: true }),
    ZIP: attribute.string(),
    residents: attribute.relatedEntities('Employee', 'home'),
  })
  const Product = defineDataClass(
    'Product',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      name: attribute.string(),
      price: attribute.number(),
      myBoolean: attribute.bool(),
    },
    {
      hooks: {
        init: (draft) => {
          draft.myBoolean = true
        },
        beforeSave: (draft) => {
          if (draft.name === null || draft.name === '') draft.name = 'Unnamed product'
        },
        validateSave: ({ name }) =>
          name === 'Forbidden' ? { errCode: 10_002, message: 'no such product' } : null,
      },
    },
  )
  const Payslip = defineDataClass(
    'Payslip',
    { ID: attribute.long({ key: true }) },
    { exposed: false },
  )
  const store = createDataStore({
    name: 'contacts',
    dataClasses: [Company, Employee, Place, Product, Payslip],
    ...fixedPorts(),
  })
  store.Place.load(PLACES)
  store.Company.load(companyRows())
  store.Employee.load(employeeRows())
  store.Product.load(productRows())
  return store
}
