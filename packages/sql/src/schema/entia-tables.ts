import { type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { textOf } from '../sql-builder/statement.ts'

/** How global stamps are given: see `gateOf`. */
export type StampMode = 'exact' | 'rising'

/**
 * The tables beside those of the dataclasses. `entia_class.changed` is the global stamp of the last
 * commit that touched a dataclass, and `members` how many entities it has: both in the mode `exact`
 * only; `existing`: another program made its table. A change belongs to a commit, whose stamp is in
 * `entia_commit` with the dataclasses that it changed: null for a commit that was given up because
 * its answer got lost. `entia_store.migrations` counts the migrations that changed something: see
 * `ModelVersion`. `entia_store.writers` counts those after which older processes would write wrong
 * values, and the gate refuses them. `entia_history` tells up to which stamps changes and commits
 * were deleted.
 *
 * A row of `entia_change` has the attributes that were written (`written`: all of a new entity)
 * with the values that they replaced (`replaced`: all of a removed one), and the stamp and the
 * timestamp as the change left them.
 */
export function entiaTables(schema: string): readonly string[] {
  const table = (name: string): string => new SqlName(schema, name).quoted
  return [
    `CREATE TABLE IF NOT EXISTS ${table('entia_store')} (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      name text NOT NULL, instance text NOT NULL, epoch integer NOT NULL DEFAULT 0,
      unicode text NOT NULL, mode text NOT NULL, stamp bigint NOT NULL DEFAULT 0,
      base bigint NOT NULL DEFAULT 0, migrations integer NOT NULL DEFAULT 0,
      writers integer NOT NULL DEFAULT 0)`,
    `ALTER TABLE ${table('entia_store')} ADD COLUMN IF NOT EXISTS migrations integer NOT NULL DEFAULT 0`,
    `ALTER TABLE ${table('entia_store')} ADD COLUMN IF NOT EXISTS writers integer NOT NULL DEFAULT 0`,
    `CREATE TABLE IF NOT EXISTS ${table('entia_class')} (
      class text COLLATE "C" PRIMARY KEY, name_of_table text NOT NULL,
      changed bigint NOT NULL DEFAULT 0, members bigint NOT NULL DEFAULT 0,
      existing boolean NOT NULL DEFAULT false)`,
    `ALTER TABLE ${table('entia_class')} ADD COLUMN IF NOT EXISTS existing boolean NOT NULL DEFAULT false`,
    `CREATE TABLE IF NOT EXISTS ${table('entia_sequence')} (
      class text COLLATE "C" PRIMARY KEY, next bigint NOT NULL DEFAULT 1, numbers regclass)`,
    `CREATE TABLE IF NOT EXISTS ${table('entia_commit')} (
      id text COLLATE "C" PRIMARY KEY, stamp bigint UNIQUE, classes text[],
      at timestamptz NOT NULL DEFAULT now())`,
    `CREATE TABLE IF NOT EXISTS ${table('entia_history')} (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      changes_until bigint NOT NULL DEFAULT 0, commits_until bigint NOT NULL DEFAULT 0)`,
    `INSERT INTO ${table('entia_history')} DEFAULT VALUES ON CONFLICT DO NOTHING`,
    `CREATE TABLE IF NOT EXISTS ${table('entia_change')} (
      commit_id text COLLATE "C" NOT NULL, ord integer NOT NULL, class text NOT NULL,
      key text NOT NULL, kind text NOT NULL, record bigint, stamp integer NOT NULL,
      timestamp bigint NOT NULL, replaced json, written json, PRIMARY KEY (commit_id, ord))`,
    lastCommitFunction(schema),
    admitFunction(schema),
  ]
}

/** Removes what earlier releases kept in another form, and their processes with it. */
export function dropOlderForm(schema: string): readonly string[] {
  const name = (part: string): string => new SqlName(schema, part).quoted
  return [
    `DROP TABLE ${name('entia_change')}`,
    `DROP FUNCTION IF EXISTS ${name('entia_gate')} (text[], text, text[], bigint[], text)`,
  ]
}

/**
 * `entia_gate(writer integer, reads text[], seen text, writes text[], added bigint[], commit_id
 * text)` answers the global stamp of the commit, and is the last statement before COMMIT. `writer`
 * is `entia_store.writers` when the process opened the store: SQLSTATE EN002 if it is another one
 * by now. `writes` are the dataclasses that it changed, `added` how many entities each has more,
 * `reads` those that it was decided on by queries, and `seen` what the decision could see:
 * `storeRow`. SQLSTATE EN001 if a commit that it could not see changed a dataclass of `reads`.
 *
 * `exact`: one commit at a time passes, so that stamps have no gaps and become visible in their
 * order.
 *
 * `rising`: commits do not wait for each other. The stamp is the number of the transaction, counted
 * from `entia_store.base`, so that stamps have gaps. A transaction is one commit, and locks the
 * tables of `reads` first: `holdQueried`.
 */
export function gateOf(schema: string, mode: StampMode): string {
  const name = (part: string): string => new SqlName(schema, part).quoted
  const refusal = `IF FOUND THEN
      RAISE EXCEPTION 'a dataclass changed' USING ERRCODE = 'EN001';
    END IF;`
  const isOlder = `IF NOT FOUND THEN
      RAISE EXCEPTION 'the tables were migrated' USING ERRCODE = 'EN002';
    END IF;`
  const exact = `
    UPDATE ${name('entia_store')} AS s SET stamp = s.stamp + 1 WHERE s.writers = writer
      RETURNING s.stamp INTO given;
    ${isOlder}
    IF cardinality(reads) > 0 THEN
      PERFORM 1 FROM ${name('entia_class')} AS c WHERE c.class = ANY (reads) AND c.changed > seen::bigint;
      ${refusal}
    END IF;
    FOR at IN 1 .. cardinality(writes) LOOP
      UPDATE ${name('entia_class')} AS c SET changed = given, members = c.members + added[at]
        WHERE c.class = writes[at];
    END LOOP;`
  const rising = `
    SELECT s.base, s.base + ${TRANSACTION} FROM ${name('entia_store')} AS s
      WHERE s.writers = writer INTO first, given;
    ${isOlder}
    IF cardinality(reads) > 0 THEN
      PERFORM 1 FROM ${name('entia_commit')} AS c
        WHERE c.stamp >= first + pg_snapshot_xmin(seen::pg_snapshot)::text::bigint
          AND c.classes && reads AND NOT pg_visible_in_snapshot(
            (c.stamp - first)::text::xid8, seen::pg_snapshot);
      ${refusal}
    END IF;`
  return `CREATE OR REPLACE FUNCTION ${name('entia_gate')}
    (writer integer, reads text[], seen text, writes text[], added bigint[], commit_id text)
    RETURNS bigint LANGUAGE plpgsql AS $entia$
  DECLARE given bigint; first bigint;
  BEGIN${mode === 'exact' ? exact : rising}
    INSERT INTO ${name('entia_commit')} (id, stamp, classes) VALUES (commit_id, given, writes);
    RETURN given;
  END $entia$`
}

/**
 * `entia_last_commit(below bigint)` answers the highest stamp of commits below one. A function, so
 * that it is not planned with every page; only the mode `rising` calls it.
 */
const lastCommitFunction = (schema: string): string =>
  `CREATE OR REPLACE FUNCTION ${new SqlName(schema, 'entia_last_commit').quoted} (below bigint)
    RETURNS bigint LANGUAGE plpgsql STABLE AS $entia$
  BEGIN
    RETURN (SELECT max(c.stamp) FROM ${new SqlName(schema, 'entia_commit').quoted} AS c
      WHERE c.stamp < below);
  END $entia$`

/** The number of the transaction: it rises in the order in which transactions write first. */
const TRANSACTION = 'pg_current_xact_id()::text::bigint'

/**
 * The row `g` with the global stamp of a statement: every commit up to it is visible. In the mode
 * `rising` it is that of the last commit before the oldest transaction that has not ended. It is
 * not derived from the number of that transaction: after a crash a server gives the numbers of
 * transactions again that did not commit, and stamps would go back. `g.seen` is what the statement
 * can see, for the gate: the stamp, or in the mode `rising` the snapshot.
 */
export const storeRow = (schema: string): Sql =>
  sql`(SELECT CASE s.mode WHEN 'rising' THEN greatest(s.stamp, ${new SqlName(schema, 'entia_last_commit')}(s.base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint)) ELSE s.stamp END AS stamp, CASE s.mode WHEN 'rising' THEN pg_current_snapshot()::text ELSE s.stamp::text END AS seen FROM ${new SqlName(schema, 'entia_store')} AS s) AS g`

/** Waits until all other writing transactions have ended, and keeps new ones out. */
export const lockStore = (schema: string): string =>
  `LOCK TABLE ${new SqlName(schema, 'entia_store').quoted} IN SHARE ROW EXCLUSIVE MODE`

/**
 * `entia_admit(alone boolean)` lets a transaction in to write: beside others, or `alone`, when all
 * others have ended and no new one begins. Then it answers `storeRow`.
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
    SELECT g.stamp, g.seen FROM ${textOf(storeRow(schema))} INTO stamp, seen;
  END $entia$`
}

/** The statement that lets a transaction in. Send it before anything else is held. */
export const admission = (schema: string, isAlone: boolean): Sql =>
  sql`SELECT a.stamp, a.seen FROM ${new SqlName(schema, 'entia_admit')}(${isAlone}::boolean) AS a`

/**
 * Continues the stamps after the highest one, in another mode too, and where the database was
 * restored into a server that counts its transactions from another number. `mode`: null for the
 * present one. `stamp`: the highest one is at least this.
 */
export function continueStamps(schema: string, mode: StampMode | null, stamp: number): Sql {
  const store = new SqlName(schema, 'entia_store')
  const commit = new SqlName(schema, 'entia_commit')
  return sql`UPDATE ${store} AS s SET mode = coalesce(${mode}::text, s.mode), base = h.stamp + h.ahead - h.number,
      stamp = CASE WHEN s.mode = 'rising' AND coalesce(${mode}::text, s.mode) = 'rising'
        THEN greatest(s.stamp, ${stamp}::bigint) ELSE h.stamp END
    FROM (SELECT x.number, x.ahead, greatest(t.stamp, ${stamp}::bigint, (SELECT max(c.stamp) FROM ${commit} AS c),
        CASE t.mode WHEN 'rising' THEN t.base + x.number - x.ahead END) AS stamp
      FROM ${store} AS t, LATERAL (SELECT pg_current_xact_id()::text::bigint AS number,
        (coalesce(${mode}::text, t.mode) = 'rising')::integer AS ahead) AS x) AS h`
}
