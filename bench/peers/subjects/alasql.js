import { createRequire } from 'node:module'
import { pageSize } from '../../subjects/subject.js'
import { versionOf } from '../package-version.js'

const alasql = createRequire(import.meta.url)('alasql')

/**
 * AlaSQL: tables with a key and indexes, rows inserted with one statement, statements compiled
 * once. Its transactions, and its quadratic INTERSECT of long lists, are left out.
 * @type {import('../../subjects/subject.js').Subject}
 */
export default {
  name: 'alasql',
  version: versionOf('alasql'),
  open({ companies, employees }) {
    const database = new alasql.Database()
    for (const sql of [
      'create table company (ID int primary key, name string, city string, revenue int, sector string)',
      `create table employee (ID int primary key, firstName string, lastName string, email string unique, salary int,
                              birthDate string, active boolean, companyID int, stamp int)`,
    ]) {
      database.exec(sql)
    }
    database.exec('insert into company select * from ?', [companies])
    database.exec('insert into employee select *, 1 as stamp from ?', [employees])
    for (const column of ['salary', 'lastName', 'companyID']) {
      database.exec(`create index employee_${column} on employee (${column})`)
    }
    return operationsOn(database)
  },
}

/** @returns {import('../../subjects/subject.js').SubjectStore} */
function operationsOn(database) {
  const compile = (sql) => alasql.compile(sql, database.databaseid)
  const byId = compile('select * from employee where ID = ?')
  const idsByLastName = compile('select column ID from employee where lastName = ?')
  const byLastName = compile('select * from employee where lastName = ?')
  const idsBySalary = compile('select column ID from employee where salary >= ? and salary <= ?')
  const bySalary = compile('select * from employee where salary >= ? and salary <= ?')
  const idsByPrefix = compile('select column ID from employee where lastName like ?')
  const byPrefix = compile('select * from employee where lastName like ?')
  const scanned = compile(
    'select * from employee where firstName = ? and birthDate < ? and active = true',
  )
  const compound = compile(
    'select * from employee where lastName = ? and salary > ? and active = true and birthDate < ?',
  )
  const related =
    compile(`select employee.* from company join employee on company.ID = employee.companyID
    where company.city = ? and employee.salary > ?`)
  const order = `order by salary desc, lastName limit ${pageSize} offset 1000`
  const pageOfAll = compile(`select * from employee ${order}`)
  const pageOfBornBefore = compile(`select * from employee where birthDate < ? ${order}`)
  const aggregates = `select count(*) as [count], sum(salary) as [sum], avg(salary) as average, min(salary) as [min],
    max(salary) as [max] from employee`
  const aggregateAll = compile(aggregates)
  const aggregateBornBefore = compile(`${aggregates} where birthDate < ?`)
  const groups = 'count(*) as [count], avg(salary) as average, max(salary) as [max]'
  const groupAll = compile(`select firstName as name, ${groups} from employee group by firstName`)
  const groupBornBefore = compile(
    `select firstName as name, ${groups} from employee where birthDate < ? group by firstName`,
  )
  const groupByCity = compile(`select company.city as name, ${groups} from employee
    join company on company.ID = employee.companyID group by company.city`)
  const distinct = compile('select distinct lastName from employee')
  const page = compile('select * from employee where ID between ? and ? order by ID')
  const update = compile(
    'update employee set salary = ?, stamp = stamp + 1 where ID = ? and stamp = ?',
  )
  const insert = compile('insert into employee values (?, ?, ?, ?, ?, ?, ?, ?, 1)')
  const remove = compile('delete from employee where ID = ?')
  const countAll = compile('select value count(*) from employee')
  const selected = (ids) => ({ count: ids.length, members: ids.slice(0, pageSize) })
  const counted = (rows) => ({ count: rows.length, entities: rows.slice(0, pageSize) })
  const insertRow = ({ ID, firstName, lastName, email, salary, birthDate, active, companyID }) =>
    insert([ID, firstName, lastName, email, salary, birthDate, active, companyID])

  return {
    get: (id) => byId([id])[0],
    selectByLastName: (name) => selected(idsByLastName([name])),
    entitiesByLastName: (name) => byLastName([name]),
    selectBySalary: (low, high) => selected(idsBySalary([low, high])),
    entitiesBySalary: (low, high) => counted(bySalary([low, high])),
    selectByPrefix: (prefix) => selected(idsByPrefix([`${prefix}%`])),
    entitiesByPrefix: (prefix) => counted(byPrefix([`${prefix}%`])),
    memberIds: (ids) => ids,
    scan: (before, firstName) => counted(scanned([firstName, before])),
    compound: (lastName, salary, before) => compound([lastName, salary, before]),
    related: (city, salary) => counted(related([city, salary])),
    pageOfAll: () => pageOfAll([]),
    pageOfBornBefore: (before) => pageOfBornBefore([before]),
    aggregate: (before) => (before === null ? aggregateAll([]) : aggregateBornBefore([before]))[0],
    groupByFirstName: (before) => (before === null ? groupAll([]) : groupBornBefore([before])),
    groupByCity: () => groupByCity([]),
    distinctLastNames: () => distinct([]).map(({ lastName }) => lastName),
    pageAsJson: (firstId) => JSON.stringify(page([firstId, firstId + pageSize - 1])),
    findByText: (text) => database.exec(`select * from employee where ${text}`)[0],
    compile: (_text, number) =>
      compile(
        `select e.* from employee e join company c on c.ID = e.companyID where e.salary > ${number} and e.active = true` +
          " and c.city like 'A%' and e.birthDate < '1990-01-01' and e.lastName = 'Smith' and e.firstName <> 'Bob'",
      ),
    update: (id, stamp, salary) => update([salary, id, stamp]) === 1,
    insert: insertRow,
    reinsert: (values) => {
      remove([values.ID])
      return insertRow(values)
    },
    count: () => countAll([]),
    close: () => alasql.exec(`drop database ${database.databaseid}`),
  }
}
