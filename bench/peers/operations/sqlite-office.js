// The mixes of employees and companies for both SQLite subjects. Statements are prepared once;
// indexes cover the orders.

import { WatchedByHand } from '../../mixed/watched-by-hand.js'
import { updateStatements } from './sqlite-updates.js'

const columns = [
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
                         birthDate text, active integer, companyID integer);`

/** Created after the rows: that is faster than maintaining them row by row. */
const indexes = `
  create index company_city on company (city);
  create unique index employee_email on employee (email);
  create index employee_salary on employee (salary desc, lastName);
  create index employee_name on employee (lastName, firstName);
  create index employee_company on employee (companyID, salary);`

const aggregates =
  'select count(*) as count, sum(salary) as sum, avg(salary) as average, min(salary) as min, max(salary) as max from employee'
const ofCity = 'companyID in (select ID from company where city = ?)'
const page = 'limit ? offset ?'
const heldTable = 'create temp table held (place integer primary key, ID integer)'

const valuesOf = (row) =>
  columns.map((name) => (name === 'active' ? Number(row.active) : row[name]))

/**
 * @param {import('./sqlite.js').Connection} connection   to an empty database in memory
 * @param {import('../../data.js').BenchData} data
 */
export function sqliteOffice(connection, { companies, employees }) {
  connection.execute(tables)
  const insertCompany = connection.prepare('insert into company values (?, ?, ?, ?, ?)')
  const insert = connection.prepare('insert into employee values (?, ?, ?, ?, ?, ?, ?, ?)')
  connection.transact(() => {
    for (const { ID, name, city, revenue, sector } of companies)
      insertCompany.change(ID, name, city, revenue, sector)
    for (const row of employees) insert.change(...valuesOf(row))
  })
  connection.execute(indexes)
  connection.execute('analyze')
  connection.execute(heldTable)
  const prepare = (sql) => connection.prepare(sql)
  const byId = prepare('select * from employee where ID = ?')
  const all = prepare('select * from employee')
  const countAll = prepare('select count(*) as count from employee')
  const remove = prepare('delete from employee where ID = ?')
  const update = updateStatements(connection, 'employee', 'ID')
  const writes = {
    update: ({ id, patch }) =>
      update(id, 'active' in patch ? { ...patch, active: Number(patch.active) } : patch),
    insert: ({ values }) => insert.change(...valuesOf(values)),
    remove: ({ id }) => remove.change(id),
  }
  return {
    ...readsOf(prepare, byId),
    ...writes,
    ...heldIn(prepare),
    ...savepointOf(connection),
    ...watchedIn(byId, writes),
    all: () => all.rows(),
    count: () => countAll.row().count,
  }
}

function readsOf(prepare, byId) {
  const byName = prepare(`select * from employee where lastName = ? order by firstName ${page}`)
  const bornBefore = prepare(
    `select * from employee where birthDate < ? order by salary desc, lastName ${page}`,
  )
  const byCity = prepare(
    `select * from employee where ${ofCity} and salary > ? order by salary desc ${page}`,
  )
  const byPrefix = prepare(
    `select * from employee where lastName >= ? and lastName < ? order by lastName, firstName ${page}`,
  )
  const bySalary = prepare(
    `select * from employee where salary between ? and ? order by salary ${page}`,
  )
  const companyOf = prepare(
    'select company.* from employee join company on company.ID = employee.companyID where employee.ID = ?',
  )
  const staffOf = prepare('select * from employee where companyID = ?')
  const aggregateOfCity = prepare(`${aggregates} where ${ofCity}`)
  const aggregateBornBefore = prepare(`${aggregates} where birthDate < ?`)
  return {
    get: ({ id }) => byId.row(id),
    pageByName: ({ lastName, skip, top }) => byName.rows(lastName, top, skip),
    pageBornBefore: ({ before, skip, top }) => bornBefore.rows(before, top, skip),
    pageByCity: ({ city, salary, skip, top }) => byCity.rows(city, salary, top, skip),
    pageByPrefix: ({ prefix, skip, top }) => byPrefix.rows(prefix, `${prefix}\uffff`, top, skip),
    pageBySalary: ({ low, high, skip, top }) => bySalary.rows(low, high, top, skip),
    companyOf: ({ id }) => companyOf.row(id),
    staffOf: ({ companyId }) => staffOf.rows(companyId),
    aggregateOfCity: ({ city }) => aggregateOfCity.row(city),
    aggregateBornBefore: ({ before }) => aggregateBornBefore.row(before),
  }
}

/** The members are a temporary table of keys in their order. */
function heldIn(prepare) {
  const clear = prepare('delete from held')
  const members = 'insert into held (ID) select ID from employee where salary between ? and ?'
  const hold = prepare(members)
  const holdOrdered = prepare(`${members} order by email`)
  const pageOfHeld = prepare(
    'select employee.* from held join employee on employee.ID = held.ID where place > ? and place <= ? order by place',
  )
  return {
    hold: ({ low, high, isOrdered }) => {
      clear.change()
      return (isOrdered ? holdOrdered : hold).change(low, high)
    },
    pageOfHeld: ({ skip, top }) => pageOfHeld.rows(skip, skip + top),
  }
}

/** One transaction per test. */
function savepointOf(connection) {
  const begin = () => connection.execute('begin')
  return {
    mark: begin,
    restore: () => {
      connection.execute('rollback')
      begin()
    },
  }
}

/** Reads the old row and derives the new row from it. */
function watchedIn(byId, { update, insert, remove }) {
  return {
    watch(filters) {
      const watched = new WatchedByHand(filters)
      this.update = (operation) => {
        const before = byId.row(operation.id)
        update(operation)
        return watched.changes(before, { ...before, ...operation.patch })
      }
      this.insert = (operation) => {
        insert(operation)
        return watched.changes(undefined, operation.values)
      }
      this.remove = (operation) => {
        const before = byId.row(operation.id)
        remove(operation)
        return watched.changes(before, undefined)
      }
    },
  }
}
