/**
 * `npm run test:races:sql`: several processes over one PostgreSQL database race for stamps, unique
 * values and locks, write under locks, read in one call what others change together, and play
 * histories that are checked for anomalies. Exits with 1 on a violation.
 *
 *     npm run test:races:sql -- --rounds 10000 --processes 4 --only stamp,value,lock
 *
 * `--database` is the address of a server, `--seed` the seed of an earlier run, `--seconds` the
 * most time for each race, `--mode rising` the other mode of global stamps. `--only` names races:
 * stamp, value, lock, cascade, batch, logout, locks (rounds are writes), moments and histories.
 */
import { runTypeScript } from './run-typescript.mjs'

runTypeScript('packages/sql/test/races/main.ts', process.argv.slice(2))
