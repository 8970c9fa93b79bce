import { createRequire } from 'node:module'
import { fill } from '../../peers/operations/sqlite.js'
import { versionOf } from '../../peers/package-version.js'
import { pageSize } from '../kinds.js'

const Database = createRequire(new URL('../../peers/package.json', import.meta.url))(
  'better-sqlite3',
)

export const version = versionOf('better-sqlite3')

/**
 * Statements are prepared at their first use, as Entia's filters are. @returns
 * {import('../kinds.js').FirstStore}
 */
export function open(data) {
  const database = new Database(':memory:')
  fill(database, data)
  const statements = new Map()
  const prepare = (sql) => {
    let statement = statements.get(sql)
    if (statement === undefined) statements.set(sql, (statement = database.prepare(sql)))
    return statement
  }
  const found = 'select * from employee where lastName = '
  const update = (id, salary) =>
    prepare('update employee set salary = ?, stamp = stamp + 1 where ID = ?').run(salary, id)
  const transact = database.transaction((changes) => {
    for (const [id, salary] of changes) update(id, salary)
  })
  return {
    get: (id) => prepare('select * from employee where ID = ?').get(id),
    findBy: (email) => prepare('select * from employee where email = ?').get(email),
    page: (lastName, salary) =>
      prepare(`${found} ? and salary > ? limit ${pageSize}`).all(lastName, salary),
    text: (lastName, salary) =>
      database.prepare(`${found} '${lastName}' and salary > ${salary}`).all(),
    ordered: (skip) =>
      prepare(`select * from employee order by salary desc limit ${pageSize} offset ?`).all(skip),
    aggregate: (lastName) =>
      prepare(
        'select count(*) as count, sum(salary) as sum, min(salary) as min, max(salary) as max from employee where lastName = ?',
      ).get(lastName),
    insert: ({ ID, firstName, lastName, email, salary, birthDate, active, companyID }) =>
      prepare('insert into employee values (?, ?, ?, ?, ?, ?, ?, ?, 1)').run(
        ...[ID, firstName, lastName, email, salary, birthDate, Number(active), companyID],
      ),
    update,
    remove: (id) => prepare('delete from employee where ID = ?').run(id),
    transact,
    all: () => database.prepare('select * from employee').all(),
  }
}
