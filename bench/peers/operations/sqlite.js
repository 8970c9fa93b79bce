// The statements of both SQLite subjects: the same tables, each statement prepared once.

import { pageSize } from '../../subjects/subject.js'

const employeeColumns = [
  'ID',
  'firstName',
  'lastName',
  'email',
  'salary',
  'birthDate',
  'active',
  'companyID',
]

const tables = `
  create table company (ID integer primary key, name text, city text, revenue integer, sector text);
  create table employee (ID integer primary key, firstName text, lastName text, email text, salary integer,
                         birthDate text, active integer, companyID integer, stamp integer);`

/** Created after the rows: that is faster than maintaining them row by row. */
const indexes = `
  create index company_city on company (city);
  create unique index employee_email on employee (email);
  create index employee_salary on employee (salary);
  create index employee_last_name on employee (lastName);
  create index employee_company on employee (companyID);`

const insertCompany = 'insert into company values (?, ?, ?, ?, ?)'
const insertEmployee = 'insert into employee values (?, ?, ?, ?, ?, ?, ?, ?, ?)'

const companyValues = ({ ID, name, city, revenue, sector }) => [ID, name, city, revenue, sector]
const employeeValues = (row) => [
  ...employeeColumns.map((name) => (name === 'active' ? Number(row.active) : row[name])),
  1,
]

const inRange = 'from employee where salary between ? and ?'
const inPrefix = 'from employee where lastName >= ? and lastName < ?'
const ofTheCity =
  'from employee where companyID in (select ID from company where city = ?) and salary > ?'
const aggregates =
  'select count(*) as count, sum(salary) as sum, avg(salary) as average, min(salary) as min, max(salary) as max from employee'
const groups = 'count(*) as count, avg(salary) as average, max(salary) as max'
const setOperators = new Map([
  ['and', 'intersect'],
  ['or', 'union'],
  ['except', 'except'],
])
// The database builds the text, so rows never become objects.
const page = `select json_group_array(json_object(${[...employeeColumns, 'stamp'].map((name) => `'${name}', ${name}`)}))
  from (select * from employee where ID between ? and ? order by ID)`

/**
 * @typedef {object} Statement
 * @property {(...values: readonly unknown[]) => object | undefined} row      the first row
 * @property {(...values: readonly unknown[]) => readonly object[]} rows
 * @property {(...values: readonly unknown[]) => readonly unknown[]} values   the first column
 * @property {(...values: readonly unknown[]) => number} change the number of changed rows
 *
 * @typedef {object} Connection
 * @property {(sql: string) => Statement} prepare
 * @property {(sql: string) => object} firstRow         for a text that is used once
 * @property {(sql: string) => unknown} compile         prepares a statement that is not run
 * @property {(sql: string) => void} execute
 * @property {(work: () => void) => void} transact      rolls back and throws on what `work` throws
 */

/**
 * Inserts all rows into an empty database and creates the indexes. A separate function, so that
 * later closures do not keep the rows alive.
 *
 * Both bindings take the same calls. Statements in WebAssembly live outside the JavaScript heap and
 * are freed.
 */
export function fill(database, { companies, employees }) {
  database.exec(tables)
  const company = database.prepare(insertCompany)
  const employee = database.prepare(insertEmployee)
  database.exec('begin')
  for (const row of companies) company.run(companyValues(row))
  for (const row of employees) employee.run(employeeValues(row))
  database.exec('commit')
  company.free?.()
  employee.free?.()
  database.exec(indexes)
  database.exec('analyze')
}

/**
 * @param {Connection} connection
 * @returns {import('../../subjects/subject.js').SubjectStore}
 */
export function sqliteOperations(connection) {
  const prepare = (sql) => connection.prepare(sql)
  const byId = prepare('select * from employee where ID = ?')
  const idsByLastName = prepare('select ID from employee where lastName = ?')
  const rowsByLastName = prepare('select * from employee where lastName = ?')
  const range = countAndPage(prepare, inRange)
  const prefixed = countAndPage(prepare, inPrefix)
  const scanned = prepare(
    'select * from employee where firstName = ? and birthDate < ? and active = 1',
  )
  const compound = prepare(
    'select * from employee where lastName = ? and salary > ? and active = 1 and birthDate < ?',
  )
  const related = prepare(`select * ${ofTheCity}`)
  const pageOfAll = prepare(
    'select * from employee order by salary desc, lastName limit ? offset ?',
  )
  const pageOfBornBefore = prepare(
    'select * from employee where birthDate < ? order by salary desc, lastName limit ? offset ?',
  )
  const aggregateAll = prepare(aggregates)
  const aggregateBornBefore = prepare(`${aggregates} where birthDate < ?`)
  const groupAll = prepare(`select firstName as name, ${groups} from employee group by firstName`)
  const groupBornBefore = prepare(
    `select firstName as name, ${groups} from employee where birthDate < ? group by firstName`,
  )
  const groupByCity = prepare(
    `select city as name, ${groups} from employee join company on company.ID = companyID group by city`,
  )
  const distinct = prepare('select distinct lastName from employee')
  const pageAsJson = prepare(page)
  const update = prepare(
    'update employee set salary = ?, stamp = stamp + 1 where ID = ? and stamp = ?',
  )
  const insert = prepare(insertEmployee)
  const remove = prepare('delete from employee where ID = ?')
  const countAll = prepare('select count(*) from employee')
  const combinations = new Map()

  const updateOne = ({ id, stamp, salary }) => update.change(salary, id, stamp) === 1
  const afterPrefix = (prefix) => `${prefix}\uffff`
  // Both results are small, so one query for all rows is faster than a count and a page.
  const firstOf = (rows) => ({ count: rows.length, entities: rows.slice(0, pageSize) })

  return {
    get: (id) => byId.row(id),
    selectByLastName: (name) => {
      const ids = idsByLastName.values(name)
      return { count: ids.length, members: ids.slice(0, pageSize) }
    },
    entitiesByLastName: (name) => rowsByLastName.rows(name),
    selectBySalary: (low, high) => range.selected(low, high),
    entitiesBySalary: (low, high) => range.counted(low, high),
    selectByPrefix: (prefix) => prefixed.selected(prefix, afterPrefix(prefix)),
    entitiesByPrefix: (prefix) => prefixed.counted(prefix, afterPrefix(prefix)),
    memberIds: (ids) => ids,
    scan: (before, firstName) => firstOf(scanned.rows(firstName, before)),
    compound: (lastName, salary, before) => compound.rows(lastName, salary, before),
    related: (city, salary) => firstOf(related.rows(city, salary)),
    pageOfAll: (skip, top) => pageOfAll.rows(top, skip),
    pageOfBornBefore: (before, skip, top) => pageOfBornBefore.rows(before, top, skip),
    aggregate: (before) => (before === null ? aggregateAll.row() : aggregateBornBefore.row(before)),
    distinctLastNames: () => distinct.values(),
    groupByFirstName: (before) =>
      before === null ? groupAll.rows() : groupBornBefore.rows(before),
    groupByCity: () => groupByCity.rows(),
    // Saved selections are tables of keys. A combination is counted and not stored, which favours
    // SQLite.
    saveSelections: (salary, before) => {
      connection.execute(`
        drop table if exists left_members; drop table if exists right_members;
        create temp table left_members as select ID from employee where salary >= ${Number(salary)};
        create temp table right_members as select ID from employee where birthDate < '${before}';`)
      for (const [name, word] of setOperators) {
        const members = `select ID from left_members ${word} select ID from right_members`
        combinations.set(name, prepare(`select count(*) from (${members})`))
      }
    },
    combine: (operator) => combinations.get(operator).values()[0],
    pageAsJson: (firstId) => pageAsJson.values(firstId, firstId + pageSize - 1)[0],
    findByText: (text) => connection.firstRow(`select * from employee where ${text}`),
    compile: (_text, number) =>
      connection.compile(
        `select e.* from employee e join company c on c.ID = e.companyID where e.salary > ${number} and e.active = 1` +
          " and c.city like 'A%' and e.birthDate < '1990-01-01' and e.lastName = 'Smith' and e.firstName <> 'Bob'",
      ),
    update: (id, stamp, salary) => updateOne({ id, stamp, salary }),
    updateAll: (changes) => {
      try {
        connection.transact(() => {
          for (const change of changes) if (!updateOne(change)) throw staleStamp
        })
        return true
      } catch (error) {
        if (error === staleStamp) return false
        throw error
      }
    },
    insert: (values) => insert.change(...employeeValues(values)),
    reinsert: (values) => {
      remove.change(values.ID)
      return insert.change(...employeeValues(values))
    },
    count: () => countAll.values()[0],
    verify: () => {
      const { integrity_check: found } = connection.firstRow('pragma integrity_check')
      if (found !== 'ok') throw new Error(found)
    },
  }
}

const staleStamp = new Error('The stamp is stale.')

function countAndPage(prepare, from) {
  const count = prepare(`select count(*) ${from}`)
  const ids = prepare(`select ID ${from} limit ${pageSize}`)
  const rows = prepare(`select * ${from} limit ${pageSize}`)
  return {
    selected: (...values) => ({
      count: count.values(...values)[0],
      members: ids.values(...values),
    }),
    counted: (...values) => ({ count: count.values(...values)[0], entities: rows.rows(...values) }),
  }
}
