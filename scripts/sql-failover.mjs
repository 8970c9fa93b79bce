/**
 * `npm run test:failover:sql`: a primary with a synchronous standby, and several processes that
 * serve it under load. The primary is killed, hangs, or is cut off from the network, in turn. The
 * standby is promoted, and the answers that clients got are compared with what is stored; then the
 * same with a new standby. Exits with 1 on a problem.
 *
 *     npm run test:failover:sql -- --failovers 50 --processes 2
 *
 * `--failure hung`: only that kind, of `killed`, `hung` and `cut off`. `--replicas`: the processes
 * also read from the standby, whose replay is paused at times. `--mode rising`: the other mode of
 * global stamps. `--asynchronous`: the standby is not synchronous, so that commits get lost: the
 * script must find it. `--seed` is the seed of an earlier run. The servers are made in a temporary
 * folder, by the programs in `ENTIA_POSTGRES_BIN` or in Debian's folder. Without them nothing runs.
 */
import { runTypeScript } from './run-typescript.mjs'

runTypeScript('packages/sql/test/failover/main.ts', process.argv.slice(2))
