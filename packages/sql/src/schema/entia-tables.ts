import type { SqlConnection, SqlRows, Statement } from '../connect/port.ts'
import { type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { BEGIN_SNAPSHOT } from '../sql-builder/transaction.ts'
import { columnOf, type Definition, definition, tableOf } from './definition.ts'
import { createWordsFunction } from './word-index.ts'

/**
 * The tables beside those of the dataclasses. `entia_class.changed` is the global stamp of the last
 * commit that touched a dataclass, and `members` how many entities it has; `existing`: another
 * program made its table, and `kinds` is the `ColumnKind` of each column. A change belongs to a
 * commit, whose stamp is in `entia_commit` with the dataclasses that it changed: null for a commit
 * that was given up because its answer got lost. `entia_store.migrations` counts the migrations
 * that changed something: see `ModelVersion`. `entia_store.writers` counts those after which older
 * processes would write wrong values, and the gate refuses them. `entia_store.records` is the first
 * record number of tables that are added later: see `noteRecords`. `entia_history` tells up to
 * which stamps changes and commits were deleted.
 *
 * A row of `entia_change` has the attributes that were written (`written`: all of a new entity)
 * with the values that they replaced (`replaced`: all of a removed one), and the stamp and the
 * timestamp as the change left them.
 */
export function entiaTables(schema: string): readonly Definition[] {
  const table = (name: string): SqlName => new SqlName(schema, name)
  return [
    tableOf(
      table('entia_store'),
      `one boolean PRIMARY KEY DEFAULT true CHECK (one),
      name text NOT NULL, instance text NOT NULL, epoch integer NOT NULL DEFAULT 0,
      unicode text NOT NULL, mode text NOT NULL, stamp bigint NOT NULL DEFAULT 0,
      migrations integer NOT NULL DEFAULT 0,
      writers integer NOT NULL DEFAULT 0,
      records bigint NOT NULL DEFAULT 0`,
    ),
    columnOf(table('entia_store'), 'migrations', 'integer NOT NULL DEFAULT 0'),
    columnOf(table('entia_store'), 'writers', 'integer NOT NULL DEFAULT 0'),
    columnOf(table('entia_store'), 'records', 'bigint NOT NULL DEFAULT 0'),
    tableOf(
      table('entia_class'),
      `class text COLLATE "C" PRIMARY KEY, name_of_table text NOT NULL,
      changed bigint NOT NULL DEFAULT 0, members bigint NOT NULL DEFAULT 0,
      existing boolean NOT NULL DEFAULT false, kinds jsonb NOT NULL DEFAULT '{}'`,
    ),
    columnOf(table('entia_class'), 'existing', 'boolean NOT NULL DEFAULT false'),
    columnOf(table('entia_class'), 'kinds', `jsonb NOT NULL DEFAULT '{}'`),
    tableOf(
      table('entia_sequence'),
      'class text COLLATE "C" PRIMARY KEY, next bigint NOT NULL DEFAULT 1',
    ),
    tableOf(
      table('entia_commit'),
      `id text COLLATE "C" PRIMARY KEY, stamp bigint UNIQUE, classes text[],
      at timestamptz NOT NULL DEFAULT now()`,
    ),
    tableOf(
      table('entia_history'),
      `one boolean PRIMARY KEY DEFAULT true CHECK (one),
      changes_until bigint NOT NULL DEFAULT 0, commits_until bigint NOT NULL DEFAULT 0`,
    ),
    definition(
      `INSERT INTO ${table('entia_history').quoted} DEFAULT VALUES ON CONFLICT DO NOTHING`,
    ),
    {
      ...tableOf(
        table('entia_change'),
        `commit_id text COLLATE "C" NOT NULL, ord integer NOT NULL, class text NOT NULL,
      key text NOT NULL, kind text NOT NULL, record bigint, stamp integer NOT NULL,
      timestamp bigint NOT NULL, replaced json, written json, PRIMARY KEY (commit_id, ord)`,
      ),
      // An earlier release has the table without this column: it is dropped before.
      part: { table: 'entia_change', column: 'written' },
    },
    definition(gateFunction(schema)),
    definition(admitFunction(schema)),
    definition(createWordsFunction(schema)),
  ]
}

/**
 * Raises `entia_store.records` beyond the record numbers of all tables, before a migration or an
 * operator drops or renames some. ETags hold the name of the dataclass and the record number.
 */
export const noteRecords = (schema: string): Sql =>
  sql`UPDATE ${new SqlName(schema, 'entia_store')} SET records = greatest(records,
    (SELECT max(pg_sequence_last_value(d.objid)) + 1 FROM pg_depend AS d
      JOIN pg_class AS s ON s.oid = d.objid AND s.relkind = 'S'
      JOIN pg_attribute AS a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
      WHERE d.deptype = 'i' AND a.attname = '_rec'
        AND s.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = ${schema}::text)))`

/** Begins the record numbers of a table without any beyond those of all former tables. */
export const passRecords = (schema: string, table: SqlName): Sql =>
  sql`SELECT setval(t.numbers, s.records, false) FROM ${new SqlName(schema, 'entia_store')} AS s,
    (SELECT pg_get_serial_sequence(${table.quoted}::text, '_rec')::regclass AS numbers) AS t
    WHERE pg_sequence_last_value(t.numbers) IS NULL`

/** Removes what earlier releases kept in another form, and their processes with it. */
export function dropOlderForm(schema: string): readonly string[] {
  const name = (part: string): string => new SqlName(schema, part).quoted
  return [
    `DROP TABLE ${name('entia_change')}`,
    `DROP FUNCTION IF EXISTS ${name('entia_gate')} (text[], text, text[], bigint[], text)`,
  ]
}

/**
 * Takes the numbers of automatic keys from the sequences of an earlier release, and drops them: in
 * its mode `rising` commits did not wait for each other, nor for numbers.
 */
export function endRising(schema: string): string {
  const rows = new SqlName(schema, 'entia_sequence').quoted
  return `DO $entia$
  DECLARE old regclass;
  BEGIN
    FOR old IN SELECT numbers FROM ${rows} WHERE numbers IS NOT NULL LOOP
      UPDATE ${rows} SET next = coalesce(pg_sequence_last_value(old) + 1, next), numbers = NULL
        WHERE numbers = old;
      EXECUTE 'DROP SEQUENCE ' || old::text;
    END LOOP;
  END $entia$`
}

/**
 * `entia_gate(writer integer, reads text[], seen text, writes text[], added bigint[], commit_id
 * text)` answers the global stamp of the commit, and is the last statement before COMMIT. `writer`
 * is `entia_store.writers` when the process opened the store: SQLSTATE EN002 if it is another one
 * by now. `writes` are the dataclasses that it changed, `added` how many entities each has more,
 * `reads` those that it was decided on by queries, and `seen` the global stamp of that moment.
 * SQLSTATE EN001 if a later commit changed a dataclass of `reads`.
 *
 * One commit at a time passes, so that stamps have no gaps and become visible in their order.
 */
function gateFunction(schema: string): string {
  const name = (part: string): string => new SqlName(schema, part).quoted
  return `CREATE OR REPLACE FUNCTION ${name('entia_gate')}
    (writer integer, reads text[], seen text, writes text[], added bigint[], commit_id text)
    RETURNS bigint LANGUAGE plpgsql AS $entia$
  DECLARE given bigint;
  BEGIN
    UPDATE ${name('entia_store')} AS s SET stamp = s.stamp + 1 WHERE s.writers = writer
      RETURNING s.stamp INTO given;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'the tables were migrated' USING ERRCODE = 'EN002';
    END IF;
    IF cardinality(reads) > 0 THEN
      PERFORM 1 FROM ${name('entia_class')} AS c WHERE c.class = ANY (reads) AND c.changed > seen::bigint;
      IF FOUND THEN
        RAISE EXCEPTION 'a dataclass changed' USING ERRCODE = 'EN001';
      END IF;
    END IF;
    FOR at IN 1 .. cardinality(writes) LOOP
      UPDATE ${name('entia_class')} AS c SET changed = given, members = c.members + added[at]
        WHERE c.class = writes[at];
    END LOOP;
    INSERT INTO ${name('entia_commit')} (id, stamp, classes) VALUES (commit_id, given, writes);
    RETURN given;
  END $entia$`
}

/**
 * Passes the gate as a commit that keeps no changes, and answers its global stamp. `added`: as many
 * entities has each of the dataclasses more.
 */
export function passWithoutChanges(
  schema: string,
  what: string,
  classes: readonly string[],
  added: readonly number[] = classes.map(() => 0),
): Sql {
  const [gate, store] = ['entia_gate', 'entia_store'].map((name) => new SqlName(schema, name))
  return sql`SELECT ${gate!}(s.writers, '{}'::text[], '0', ${classes}::text[], ${added}::bigint[], ${what}::text || gen_random_uuid()) AS stamp FROM ${store!} AS s`
}

/** The same, after which older changes are no longer what led to the present. */
export const passAndTrim = (...given: Parameters<typeof passWithoutChanges>): Sql =>
  sql`UPDATE ${new SqlName(given[0], 'entia_history')} SET changes_until = (${passWithoutChanges(...given)})`

/** The row `g` with the global stamp of a statement: every commit up to it is visible. */
export const storeRow = (schema: string): Sql =>
  sql`(SELECT s.stamp FROM ${new SqlName(schema, 'entia_store')} AS s) AS g`

/** The statement that reads the global stamp. */
export const readStamp = (schema: string): Statement =>
  statementOf(sql`SELECT g.stamp FROM ${storeRow(schema)}`)

/** Waits until all other writing transactions have ended, and keeps new ones out. */
const lockStore = (schema: string): string =>
  `LOCK TABLE ${new SqlName(schema, 'entia_store').quoted} IN SHARE ROW EXCLUSIVE MODE`

/** Whether a schema has the tables of a store. */
export const hasStore = (schema: string): Statement => ({
  ...statementOf(
    sql`SELECT to_regclass(${new SqlName(schema, 'entia_store').quoted}::text) IS NOT NULL`,
  ),
  // It is sent once, also behind a pooler that would lose its name.
  name: '',
})

/** Waits for a migration, and keeps another one out until the end of the transaction. */
export const holdStore = (schema: string): Statement =>
  statementOf(sql`LOCK TABLE ${new SqlName(schema, 'entia_store')} IN ACCESS SHARE MODE`)

/**
 * Begins a snapshot with its first statements: their results. `begin` is `BEGIN_MOMENT` for one
 * that also writes.
 *
 * It holds the store first, which takes no snapshot. Any other statement takes one before it waits
 * for its tables, and a table that a migration has rewritten meanwhile looks empty in it.
 */
export async function beginSnapshot(
  connection: SqlConnection,
  schema: string,
  statements: readonly Statement[],
  begin = BEGIN_SNAPSHOT,
): Promise<readonly SqlRows[]> {
  const [, , ...results] = await connection.send([begin, holdStore(schema), ...statements])
  return results
}

/**
 * `entia_admit(alone boolean)` lets a transaction in to write: beside others, or `alone`, when all
 * others have ended and no new one begins. Then it answers the global stamp. `seen` is the same:
 * processes of the release before read it while they are replaced.
 */
const admitFunction = (schema: string): string => {
  const store = new SqlName(schema, 'entia_store').quoted
  return `CREATE OR REPLACE FUNCTION ${new SqlName(schema, 'entia_admit').quoted}
    (alone boolean, OUT stamp bigint, OUT seen text) LANGUAGE plpgsql AS $entia$
  BEGIN
    IF alone THEN
      ${lockStore(schema)};
    ELSE
      LOCK TABLE ${store} IN ROW EXCLUSIVE MODE;
    END IF;
    SELECT s.stamp, s.stamp FROM ${store} AS s INTO stamp, seen;
  END $entia$`
}

/** The statement that lets a transaction in. Send it before anything else is held. */
export const admission = (schema: string, isAlone: boolean): Sql =>
  sql`SELECT a.stamp FROM ${new SqlName(schema, 'entia_admit')}(${isAlone}::boolean) AS a`

/** Continues the stamps after the highest one, which is at least `stamp`. */
export function continueStamps(schema: string, stamp: number): Sql {
  const commit = new SqlName(schema, 'entia_commit')
  return sql`UPDATE ${new SqlName(schema, 'entia_store')} AS s SET stamp = greatest(s.stamp, ${stamp}::bigint, (SELECT max(c.stamp) FROM ${commit} AS c))`
}

/** True if a commit has a higher stamp than the store. */
export const stampsBehind = (schema: string): Sql =>
  sql`SELECT s.stamp < (SELECT max(c.stamp) FROM ${new SqlName(schema, 'entia_commit')} AS c) FROM ${new SqlName(schema, 'entia_store')} AS s`
