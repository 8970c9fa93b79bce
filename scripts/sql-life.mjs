/**
 * `npm run test:life:sql`: a day of a busy store with several processes over one PostgreSQL
 * database, with time that passes faster. Sessions, locks, entity sets, uploads, changes, commits,
 * prepared statements, the heap and the tables must be bounded. Exits with 1 if one is not.
 *
 *     npm run test:life:sql -- --hours 24 --step 5 --visitors 20 --processes 4
 *
 * `--database` is the address of a server, `--step` the minutes that pass at once, `--visitors`
 * those of each step, `--seed` the seed of an earlier run.
 */
import { runTypeScript } from './run-typescript.mjs'

runTypeScript('packages/sql/test/life/main.ts', process.argv.slice(2), ['--expose-gc'])
