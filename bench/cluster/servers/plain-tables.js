import pg from 'pg'
import { fieldNames } from '../../mixed/ycsb-data.js'

const ROWS = 1000

const tables = {
  records: [
    {
      name: 'item',
      columns: [
        ['key', 'text COLLATE "C" PRIMARY KEY'],
        ...fieldNames.map((name) => [name, 'text']),
      ],
      rowsOf: ({ records }) =>
        records.map((record) => [record.key, ...fieldNames.map((name) => record[name])]),
    },
  ],
  office: [
    {
      name: 'company',
      columns: [
        ['id', 'integer PRIMARY KEY'],
        ['name', 'text'],
        ['city', 'text COLLATE "C"'],
        ['revenue', 'double precision'],
        ['sector', 'text'],
      ],
      rowsOf: ({ companies }) =>
        companies.map(({ ID, name, city, revenue, sector }) => [ID, name, city, revenue, sector]),
    },
    {
      name: 'employee',
      columns: [
        ['id', 'integer PRIMARY KEY'],
        ['first_name', 'text COLLATE "C"'],
        ['last_name', 'text COLLATE "C"'],
        ['email', 'text COLLATE "C" UNIQUE'],
        ['salary', 'double precision'],
        ['birth_date', 'date'],
        ['active', 'boolean'],
        ['company_id', 'integer REFERENCES company'],
      ],
      rowsOf: ({ employees }) =>
        employees.map((row) => [
          row.ID,
          row.firstName,
          row.lastName,
          row.email,
          row.salary,
          row.birthDate,
          row.active,
          row.companyID,
        ]),
    },
  ],
}
const indexes = {
  records: '',
  office:
    'CREATE INDEX ON company (city); CREATE INDEX ON employee (last_name); ' +
    'CREATE INDEX ON employee (salary); CREATE INDEX ON employee (company_id)',
}

/**
 * Creates the data of a mix as somebody would who writes the tables by hand: the indexes that the
 * model of Entia has, too, and nothing else.
 * @param {import('./server.js').Place} place
 * @param {object} data   of the mix
 * @param {string} [further]   more statements, run at the end in the schema
 */
export async function loadPlainTables({ database, schema, family }, data, further = '') {
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  try {
    await client.query(`CREATE SCHEMA "${schema}"; SET search_path TO "${schema}"`)
    for (const { name, columns, rowsOf } of tables[family]) {
      const defined = columns.map(([column, type]) => `${column} ${type}`)
      await client.query(`CREATE TABLE ${name} (${defined.join(', ')})`)
      const rows = rowsOf(data)
      const arrays = columns.map(([, type], at) => `$${at + 1}::${type.split(/ [A-Z]/, 1)[0]}[]`)
      for (let from = 0; from < rows.length; from += ROWS) {
        const some = rows.slice(from, from + ROWS)
        await client.query({
          text: `INSERT INTO ${name} SELECT * FROM unnest(${arrays.join(', ')})`,
          values: columns.map((_, at) => some.map((row) => row[at])),
        })
      }
    }
    await client.query(`${indexes[family]}; ${further}`)
  } finally {
    await client.end()
  }
}
