/**
 * `npm run test:failure:sql`: breaks the connection to a PostgreSQL server at every message of
 * every kind of request, in both directions, once and again and again. Each answer must be true, in
 * time, and leave nothing half stored. Exits with 1 on a violation.
 *
 *     npm run test:failure:sql -- --batches 500 --only "atomic batch,lock"
 *
 * `--database` is the address of a server, `--rising` uses the mode `rising`. `--kills 200` kills
 * serving processes instead, and checks what is stored. `--cluster` stops, crashes, fills, locks
 * and delays a server of its own under load.
 */
import { runTypeScript } from './run-typescript.mjs'

const given = process.argv.slice(2)
const program = given.includes('--kills')
  ? 'kills.ts'
  : given.includes('--cluster')
    ? 'cluster.ts'
    : 'main.ts'
runTypeScript(`packages/sql/test/failure/${program}`, given)
