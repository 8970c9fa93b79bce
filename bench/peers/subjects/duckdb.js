import { DuckDBInstance } from '@duckdb/node-api'
import { pageSize } from '../../subjects/subject.js'
import { versionOf } from '../package-version.js'

const tables = `
  create table company (ID integer primary key, name varchar, city varchar, revenue integer, sector varchar);
  create table employee (ID integer primary key, firstName varchar, lastName varchar, email varchar, salary integer,
                         birthDate varchar, active boolean, companyID integer, stamp integer);`
const indexes = `
  create index company_city on company (city);
  create unique index employee_email on employee (email);
  create index employee_salary on employee (salary);
  create index employee_last_name on employee (lastName);
  create index employee_company on employee (companyID);`
// 64-bit integers would arrive as bigint.
const aggregates = `select count(*)::integer as count, sum(salary)::double as sum, avg(salary) as average,
  min(salary) as min, max(salary) as max from employee`
const groups = 'count(*)::integer as count, avg(salary) as average, max(salary) as max'
const setOperators = new Map([
  ['and', 'intersect'],
  ['or', 'union'],
  ['except', 'except'],
])

/**
 * DuckDB in memory: rows from its appender, statements prepared once, indexes as declared (it uses
 * them for keys and selective filters).
 * @type {import('../../subjects/subject.js').Subject}
 */
export default {
  name: 'duckdb',
  version: versionOf('@duckdb/node-api'),
  isAsynchronous: true,
  async open({ companies, employees }) {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    await connection.run(tables)
    await append(connection, 'company', companies, (appender, row) => {
      appender.appendInteger(row.ID)
      appender.appendVarchar(row.name)
      appender.appendVarchar(row.city)
      appender.appendInteger(row.revenue)
      appender.appendVarchar(row.sector)
    })
    await append(connection, 'employee', employees, (appender, row) => {
      appender.appendInteger(row.ID)
      for (const name of ['firstName', 'lastName', 'email']) appender.appendVarchar(row[name])
      appender.appendInteger(row.salary)
      appender.appendVarchar(row.birthDate)
      appender.appendBoolean(row.active)
      appender.appendInteger(row.companyID)
      appender.appendInteger(1)
    })
    await connection.run(indexes)
    return operationsOn(instance, connection)
  },
}

async function append(connection, tableName, rows, appendRow) {
  const appender = await connection.createAppender(tableName)
  for (const row of rows) {
    appendRow(appender, row)
    appender.endRow()
  }
  appender.closeSync()
}

/** @returns {Promise<import('../../subjects/subject.js').SubjectStore>} */
async function operationsOn(instance, connection) {
  const prepare = async (sql) => {
    const statement = await connection.prepare(sql)
    const run = async (values) => {
      statement.bind(values)
      return statement.runAndReadAll()
    }
    return {
      rows: async (...values) => (await run(values)).getRowObjectsJS(),
      values: async (...values) => (await run(values)).getColumnsJS()[0] ?? [],
      change: async (...values) => (await run(values)).rowsChanged,
    }
  }
  const inRange = 'from employee where salary between ? and ?'
  const inPrefix = 'from employee where starts_with(lastName, ?)'
  const page = `limit ${pageSize}`
  const byId = await prepare('select * from employee where ID = ?')
  const idsByLastName = await prepare('select ID from employee where lastName = ?')
  const byLastName = await prepare('select * from employee where lastName = ?')
  const rangeCount = await prepare(`select count(*)::integer ${inRange}`)
  const rangeIds = await prepare(`select ID ${inRange} ${page}`)
  const rangeRows = await prepare(`select * ${inRange} ${page}`)
  const prefixCount = await prepare(`select count(*)::integer ${inPrefix}`)
  const prefixIds = await prepare(`select ID ${inPrefix} ${page}`)
  const prefixRows = await prepare(`select * ${inPrefix} ${page}`)
  const scanned = await prepare(
    'select * from employee where firstName = ? and birthDate < ? and active',
  )
  const compound = await prepare(
    'select * from employee where lastName = ? and salary > ? and active and birthDate < ?',
  )
  const related = await prepare(
    'select * from employee where companyID in (select ID from company where city = ?) and salary > ?',
  )
  const pageOfAll = await prepare(
    'select * from employee order by salary desc, lastName limit ? offset ?',
  )
  const pageOfBornBefore = await prepare(
    'select * from employee where birthDate < ? order by salary desc, lastName limit ? offset ?',
  )
  const aggregateAll = await prepare(aggregates)
  const aggregateBornBefore = await prepare(`${aggregates} where birthDate < ?`)
  const groupAll = await prepare(
    `select firstName as name, ${groups} from employee group by firstName`,
  )
  const groupBornBefore = await prepare(
    `select firstName as name, ${groups} from employee where birthDate < ? group by firstName`,
  )
  const groupByCity = await prepare(
    `select city as name, ${groups} from employee join company on company.ID = companyID group by city`,
  )
  const distinct = await prepare('select distinct lastName from employee')
  const range = await prepare('select * from employee where ID between ? and ? order by ID')
  const update = await prepare(
    'update employee set salary = ?, stamp = stamp + 1 where ID = ? and stamp = ?',
  )
  const insert = await prepare('insert into employee values (?, ?, ?, ?, ?, ?, ?, ?, 1)')
  const remove = await prepare('delete from employee where ID = ?')
  const countAll = await prepare('select count(*)::integer from employee')
  const combinations = new Map()

  const firstOf = (rows) => ({ count: rows.length, entities: rows.slice(0, pageSize) })
  const insertRow = ({ ID, firstName, lastName, email, salary, birthDate, active, companyID }) =>
    insert.change(ID, firstName, lastName, email, salary, birthDate, active, companyID)
  const updateOne = async ({ id, stamp, salary }) => (await update.change(salary, id, stamp)) === 1

  return {
    get: async (id) => (await byId.rows(id))[0],
    selectByLastName: async (name) => {
      const ids = await idsByLastName.values(name)
      return { count: ids.length, members: ids.slice(0, pageSize) }
    },
    entitiesByLastName: (name) => byLastName.rows(name),
    selectBySalary: async (low, high) => ({
      count: (await rangeCount.values(low, high))[0],
      members: await rangeIds.values(low, high),
    }),
    entitiesBySalary: async (low, high) => ({
      count: (await rangeCount.values(low, high))[0],
      entities: await rangeRows.rows(low, high),
    }),
    selectByPrefix: async (prefix) => ({
      count: (await prefixCount.values(prefix))[0],
      members: await prefixIds.values(prefix),
    }),
    entitiesByPrefix: async (prefix) => ({
      count: (await prefixCount.values(prefix))[0],
      entities: await prefixRows.rows(prefix),
    }),
    memberIds: (ids) => ids,
    scan: async (before, firstName) => firstOf(await scanned.rows(firstName, before)),
    compound: (lastName, salary, before) => compound.rows(lastName, salary, before),
    related: async (city, salary) => firstOf(await related.rows(city, salary)),
    pageOfAll: (skip, top) => pageOfAll.rows(top, skip),
    pageOfBornBefore: (before, skip, top) => pageOfBornBefore.rows(before, top, skip),
    aggregate: async (before) =>
      (await (before === null ? aggregateAll.rows() : aggregateBornBefore.rows(before)))[0],
    distinctLastNames: () => distinct.values(),
    groupByFirstName: (before) =>
      before === null ? groupAll.rows() : groupBornBefore.rows(before),
    groupByCity: () => groupByCity.rows(),
    // Saved selections are tables of keys. A combination is counted and not stored, which favours
    // DuckDB.
    saveSelections: async (salary, before) => {
      await connection.run(`
        create or replace temp table left_members as select ID from employee where salary >= ${Number(salary)};
        create or replace temp table right_members as select ID from employee where birthDate < '${before}';`)
      for (const [name, word] of setOperators) {
        const members = `select ID from left_members ${word} select ID from right_members`
        combinations.set(name, await prepare(`select count(*)::integer from (${members})`))
      }
    },
    combine: async (operator) => (await combinations.get(operator).values())[0],
    pageAsJson: async (firstId) =>
      JSON.stringify(await range.rows(firstId, firstId + pageSize - 1)),
    findByText: async (text) =>
      (await connection.runAndReadAll(`select * from employee where ${text}`)).getRowObjectsJS()[0],
    compile: async (_text, number) => {
      const statement = await connection.prepare(
        `select e.* from employee e join company c on c.ID = e.companyID where e.salary > ${number} and e.active` +
          " and c.city like 'A%' and e.birthDate < '1990-01-01' and e.lastName = 'Smith' and e.firstName <> 'Bob'",
      )
      statement.destroySync()
      return true
    },
    update: (id, stamp, salary) => updateOne({ id, stamp, salary }),
    updateAll: async (changes) => {
      await connection.run('begin')
      for (const change of changes) {
        if (!(await updateOne(change))) {
          await connection.run('rollback')
          return false
        }
      }
      await connection.run('commit')
      return true
    },
    insert: insertRow,
    reinsert: async (values) => {
      await remove.change(values.ID)
      return insertRow(values)
    },
    count: async () => (await countAll.values())[0],
    nativeBytes: async () => {
      const found = await connection.runAndReadAll(
        'select sum(memory_usage_bytes)::double from duckdb_memory()',
      )
      return found.getColumnsJS()[0][0]
    },
    close: () => {
      connection.closeSync()
      instance.closeSync()
    },
  }
}
