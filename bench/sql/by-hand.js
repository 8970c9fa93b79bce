import { createRestHandler } from '@entia/rest'

/**
 * The same work as a program would do it by hand with `pg`, for this one model: groups, and writes
 * that keep a stamp and a row of changes beside the entity. Each is called with the number of the
 * repetition.
 * @param {import('@entia/sql').SqlPool} store
 * @param {import('pg').Pool} pool
 * @param {string} schema
 * @param {number} rows
 */
export async function byHand(store, pool, schema, rows) {
  const rest = createRestHandler(store)
  const employees = `"${schema}"."Employee"`
  const changes = `"${schema}".hand_change`
  await pool.query(
    `CREATE TABLE ${changes} (id bigserial PRIMARY KEY, key text, replaced json, written json)`,
  )
  await pool.query(`CREATE SEQUENCE "${schema}".hand_key START 1000000000`)
  const ask = async (method, url, body) => {
    const reply = await rest.handle({
      method,
      url: `/rest/${url}`,
      headers: { host: 'localhost' },
      remoteAddress: '127.0.0.1',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (reply.status !== 200) throw new Error(`${url}: ${reply.status} ${reply.body}`)
  }
  const transaction = async (body) => {
    const client = await pool.connect()
    try {
      const query = (name, text, ...values) => client.query({ name, text, values })
      await client.query('BEGIN')
      await body(query)
      await client.query('COMMIT')
    } finally {
      client.release()
    }
  }
  // Employees of their own for both: none finds those that it has written changed by the other.
  const half = rows >> 1
  const keyOf = (at) => 1 + ((at * 7919) % half)
  const handKeyOf = (at) => half + keyOf(at)
  const insertion = `INSERT INTO ${employees} (_stamp, _ts, "ID", "firstName", "firstName$",
      "lastName", "lastName$", salary, employer)
    SELECT 1, $1, nextval('"${schema}".hand_key'), v.first, lower(v.first), 'Lee', 'lee', v.salary, 1
    FROM unnest($2::text[], $3::integer[]) AS v(first, salary) RETURNING *`
  const insert = (count) => async (query) => {
    const numbers = Array.from({ length: count }, (_, at) => at)
    const first = numbers.map((at) => `Ann ${at}`)
    const found = await query(`insert ${count}`, insertion, Date.now(), first, numbers)
    await query(
      'changes',
      `INSERT INTO ${changes} (key, written) SELECT * FROM unnest($1::text[], $2::json[])`,
      found.rows.map(({ ID }) => ID),
      found.rows.map((row) => JSON.stringify(row)),
    )
  }
  const batchOf = (key, at) => {
    const keys = new Set(Array.from({ length: 100 }, (_, place) => key(100 * at + place)))
    return [...keys].sort((a, b) => a - b)
  }
  const entity = (at) => ({ firstName: `Ann ${at}`, lastName: 'Lee', salary: at, employer: 1 })
  let salary = 0
  return [
    {
      title: 'groups along a relation',
      entia: () =>
        ask(
          'GET',
          'Employee?$groupby=employer.city&$aggregates=count,salary.average,salary.max&$top=1000',
        ),
      hand: () =>
        pool.query({
          name: 'groups',
          text: `SELECT c.city, count(*), avg(e.salary), max(e.salary) FROM ${employees} e
            LEFT JOIN "${schema}"."Company" c ON c."ID" = e.employer GROUP BY c.city ORDER BY 1`,
        }),
    },
    {
      title: 'update with stamp',
      entia: (at) =>
        ask('POST', 'Employee?$method=update', { __KEY: String(keyOf(at)), salary: salary++ }),
      hand: (at) =>
        transaction(async (query) => {
          const found = await query(
            'old',
            `SELECT _stamp, salary FROM ${employees} WHERE "ID" = $1 FOR UPDATE`,
            handKeyOf(at),
          )
          const old = found.rows[0]
          await query(
            'update',
            `UPDATE ${employees} SET salary = $2, _stamp = _stamp + 1, _ts = $3
              WHERE "ID" = $1 AND _stamp = $4 RETURNING *`,
            handKeyOf(at),
            salary++,
            Date.now(),
            old._stamp,
          )
          await query(
            'change',
            `INSERT INTO ${changes} (key, replaced, written) VALUES ($1, $2, $3)`,
            handKeyOf(at),
            JSON.stringify({ salary: old.salary }),
            JSON.stringify({ salary }),
          )
        }),
    },
    {
      title: 'insert',
      entia: (at) => ask('POST', 'Employee?$method=update', entity(at)),
      hand: () => transaction(insert(1)),
    },
    {
      title: 'batch of 100 updates',
      entia: (at) =>
        ask(
          'POST',
          'Employee?$method=update&$atomic=true',
          batchOf(keyOf, at).map((key) => ({ __KEY: String(key), salary: salary++ })),
        ),
      hand: (at) =>
        transaction(async (query) => {
          const keys = batchOf(handKeyOf, at)
          const { rows: old } = await query(
            'old of 100',
            `SELECT "ID", _stamp, salary FROM ${employees} WHERE "ID" = ANY ($1::integer[])
              ORDER BY "ID" FOR UPDATE`,
            keys,
          )
          const written = old.map(() => salary++)
          const ids = old.map(({ ID }) => ID)
          await query(
            'update 100',
            `UPDATE ${employees} AS t SET salary = v.salary, _stamp = t._stamp + 1, _ts = $1
              FROM unnest($2::integer[], $3::integer[], $4::integer[]) AS v(key, stamp, salary)
              WHERE t."ID" = v.key AND t._stamp = v.stamp RETURNING t.*`,
            Date.now(),
            ids,
            old.map((row) => row._stamp),
            written,
          )
          await query(
            'changes of 100',
            `INSERT INTO ${changes} (key, replaced, written)
              SELECT * FROM unnest($1::text[], $2::json[], $3::json[])`,
            ids,
            old.map((row) => JSON.stringify({ salary: row.salary })),
            written.map((now) => JSON.stringify({ salary: now })),
          )
        }),
    },
    {
      title: 'batch of 100 insertions',
      entia: () =>
        ask(
          'POST',
          'Employee?$method=update&$atomic=true',
          Array.from({ length: 100 }, (_, at) => entity(at)),
        ),
      hand: () => transaction(insert(100)),
    },
  ]
}
