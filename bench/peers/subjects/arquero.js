import { desc, table as makeTable, op } from 'arquero'
import { pageSize } from '../../subjects/subject.js'
import { versionOf } from '../package-version.js'

const columnNames = [
  'ID',
  'firstName',
  'lastName',
  'email',
  'salary',
  'birthDate',
  'active',
  'companyID',
]

/**
 * Arquero: a table of columns, and verbs that create new tables. It has no indexes and no writes;
 * filters find key and name. Filters take parameters, so that the text of the expression is
 * constant.
 * @type {import('../../subjects/subject.js').Subject}
 */
export default {
  name: 'arquero',
  version: versionOf('arquero'),
  isIndexed: false,
  open({ companies, employees }) {
    const companyTable = makeTable({
      companyID: companies.map(({ ID }) => ID),
      city: companies.map(({ city }) => city),
    })
    const columns = Object.fromEntries(
      columnNames.map((name) => [name, employees.map((row) => row[name])]),
    )
    return operationsOn(companyTable, makeTable({ ...columns, stamp: employees.map(() => 1) }))
  },
}

/** @returns {import('../../subjects/subject.js').SubjectStore} */
function operationsOn(companyTable, table) {
  let left = table
  let right = table
  // Arquero compiles the text of these functions, so they cannot use outer names.
  const byId = (id) => table.params({ id }).filter((d, $) => d.ID === $.id)
  const byLastName = (name) => table.params({ name }).filter((d, $) => d.lastName === $.name)
  const bySalary = (low, high) =>
    table.params({ low, high }).filter((d, $) => d.salary >= $.low && d.salary <= $.high)
  const byPrefix = (prefix) =>
    table.params({ prefix }).filter((d, $) => op.startswith(d.lastName, $.prefix))
  const bornBefore = (before) =>
    before === null ? table : table.params({ before }).filter((d, $) => d.birthDate < $.before)
  const selected = (found) => ({
    count: found.numRows(),
    members: found.slice(0, pageSize).array('ID'),
  })
  const counted = (found) => ({
    count: found.numRows(),
    entities: found.objects({ limit: pageSize }),
  })
  const ordered = (found, skip, top) =>
    found.orderby(desc('salary'), 'lastName').objects({ offset: skip, limit: top })
  const groupsOf = (found, name) =>
    found
      .groupby(name)
      .rollup({ count: op.count(), average: op.mean('salary'), max: op.max('salary') })
      .rename({ [name]: 'name' })
      .objects()
  const combined = {
    and: () => left.semijoin(right, 'ID'),
    or: () => left.union(right),
    except: () => left.antijoin(right, 'ID'),
  }

  return {
    get: (id) => byId(id).object(),
    selectByLastName: (name) => selected(byLastName(name)),
    entitiesByLastName: (name) => byLastName(name).objects(),
    selectBySalary: (low, high) => selected(bySalary(low, high)),
    entitiesBySalary: (low, high) => counted(bySalary(low, high)),
    selectByPrefix: (prefix) => selected(byPrefix(prefix)),
    entitiesByPrefix: (prefix) => counted(byPrefix(prefix)),
    memberIds: (ids) => [...ids],
    scan: (before, firstName) =>
      counted(
        table
          .params({ before, firstName })
          .filter((d, $) => d.firstName === $.firstName && d.birthDate < $.before && d.active),
      ),
    compound: (lastName, salary, before) =>
      table
        .params({ lastName, salary, before })
        .filter(
          (d, $) =>
            d.lastName === $.lastName && d.salary > $.salary && d.active && d.birthDate < $.before,
        )
        .objects(),
    related: (city, salary) =>
      counted(
        table
          .params({ salary })
          .filter((d, $) => d.salary > $.salary)
          .semijoin(
            companyTable.params({ city }).filter((d, $) => d.city === $.city),
            'companyID',
          ),
      ),
    pageOfAll: (skip, top) => ordered(table, skip, top),
    pageOfBornBefore: (before, skip, top) => ordered(bornBefore(before), skip, top),
    aggregate: (before) =>
      bornBefore(before)
        .rollup({
          count: op.count(),
          sum: op.sum('salary'),
          average: op.mean('salary'),
          min: op.min('salary'),
          max: op.max('salary'),
        })
        .object(),
    groupByFirstName: (before) => groupsOf(bornBefore(before), 'firstName'),
    groupByCity: () => groupsOf(table.join(companyTable, 'companyID'), 'city'),
    distinctLastNames: () => table.dedupe('lastName').array('lastName'),
    saveSelections: (salary, before) => {
      const ids = table.select('ID', 'salary', 'birthDate')
      left = ids
        .params({ salary })
        .filter((d, $) => d.salary >= $.salary)
        .select('ID')
        .reify()
      right = ids
        .params({ before })
        .filter((d, $) => d.birthDate < $.before)
        .select('ID')
        .reify()
    },
    combine: (operator) => combined[operator]().numRows(),
    pageAsJson: (firstId) =>
      JSON.stringify(table.objects({ offset: firstId - 1, limit: pageSize })),
    findByText: (text) => table.filter(`d => d.${text.replace('=', '===')}`).object(),
  }
}
