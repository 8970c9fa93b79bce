import { createHash } from 'node:crypto'
import type { SqlPool } from '../connect/port.ts'
import { SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { storeRow } from './entia-tables.ts'

/**
 * Global stamps of one epoch: 2^40. More than transactions of a server in decades, and 8192 epochs
 * fit into the whole numbers of JavaScript.
 */
export const STAMPS = 2 ** 40
const MAX_EPOCH = 2 ** 53 / STAMPS - 1

export const epochOf = (globalStamp: number): number => Math.floor(globalStamp / STAMPS)

/**
 * `entia_new_epoch()` is for the operator, after commits got lost: when a standby took over that
 * did not have them, or the database was restored to an earlier moment. Global stamps then continue
 * far above all that were ever given. So every count that a process remembers is out of date, live
 * queries run again, and readers of changes get `historyTrimmed`. It waits for commits that are
 * under way. The epoch is above `former`, for a backup that does not know the epochs since, and
 * above those that the tables know. Answers the epoch.
 */
export function newEpochFunction(schema: string): readonly string[] {
  const name = (part: string): string => new SqlName(schema, part).quoted
  // Earlier releases have one without a parameter: a call without an argument would be ambiguous.
  const former = `DROP FUNCTION IF EXISTS ${name('entia_new_epoch')} ()`
  const current = `CREATE OR REPLACE FUNCTION ${name('entia_new_epoch')} (former integer DEFAULT 0)
    RETURNS integer LANGUAGE plpgsql AS $entia$
  DECLARE raised integer; given bigint;
  BEGIN
    -- A commit that is under way would get a stamp of the epoch before.
    LOCK TABLE ${name('entia_store')} IN SHARE ROW EXCLUSIVE MODE;
    UPDATE ${name('entia_store')} AS s SET epoch = 1 + greatest(former, s.epoch,
      s.stamp / ${STAMPS}, (SELECT max(c.stamp) FROM ${name('entia_commit')} AS c) / ${STAMPS})
      RETURNING s.epoch INTO raised;
    IF raised > ${MAX_EPOCH} THEN
      RAISE 'entia_new_epoch: epoch % is above ${MAX_EPOCH}, the last one. Pass the epoch of entia_store before the restore.',
        raised;
    END IF;
    given := raised * ${STAMPS}::bigint;
    UPDATE ${name('entia_store')} SET stamp = given;
    UPDATE ${name('entia_class')} SET changed = given;
    DELETE FROM ${name('entia_change')};
    UPDATE ${name('entia_history')} SET changes_until = given;
    INSERT INTO ${name('entia_commit')} (id, stamp, classes)
      SELECT 'epoch.' || raised, given, array_agg(c.class) FROM ${name('entia_class')} AS c;
    RETURN raised;
  END $entia$`
  return [former, current]
}

/**
 * The dataset as clients know it. Its id changes with the epoch: what they keep by the id, such as
 * ETags, is then that of another dataset.
 */
export class Dataset {
  /** The same in all epochs. */
  readonly instance: string
  #id: string
  #epoch = 0
  #globalStamp = 0

  constructor(instance: string) {
    this.instance = instance
    this.#id = instance
  }

  /** 32 hexadecimal digits. */
  get id(): string {
    return this.#id
  }

  get epoch(): number {
    return this.#epoch
  }

  /** The highest global stamp that this process has seen. */
  get globalStamp(): number {
    return this.#globalStamp
  }

  /** Takes a global stamp that the database answered: the highest one tells the epoch. */
  note(globalStamp: number): void {
    if (globalStamp > this.#globalStamp) this.#globalStamp = globalStamp
    const epoch = epochOf(globalStamp)
    if (epoch <= this.#epoch) return
    this.#epoch = epoch
    const hash = createHash('sha256').update(`${this.instance} ${epoch}`).digest('hex')
    this.#id = hash.slice(0, 32).toUpperCase()
  }

  /** Answers what was made for the epoch of the moment. */
  perEpoch<T>(make: (id: string) => T): () => T {
    let made = { id: this.#id, value: make(this.#id) }
    return () => {
      if (made.id !== this.#id) made = { id: this.#id, value: make(this.#id) }
      return made.value
    }
  }
}

/** The dataset of a schema, and an id that no other process has. One round trip. */
export async function readDataset(
  pool: SqlPool,
  schema: string,
): Promise<{
  readonly dataset: Dataset
  readonly processId: string
  /** See `ModelVersion`. */
  readonly migrations: number
  /** See `gateOf`. */
  readonly writer: number
}> {
  const store = new SqlName(schema, 'entia_store')
  const { rows } = await pool.query(
    statementOf(
      sql`SELECT s.instance, replace(gen_random_uuid()::text, '-', ''), g.stamp, to_jsonb(s) ->> 'migrations', s.writers FROM ${storeRow(schema)}, ${store} AS s`,
    ),
  )
  const [instance, processId, globalStamp, migrations, writer] = rows[0]!
  const dataset = new Dataset(String(instance))
  dataset.note(Number(globalStamp))
  return {
    dataset,
    processId: String(processId),
    migrations: Number(migrations ?? 0),
    writer: Number(writer),
  }
}
