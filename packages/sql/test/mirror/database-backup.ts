import type { SqlPool } from '../../src/connect/port.ts'
import { run } from '../database.ts'

/** A copy of the tables of a store, which waits for the transactions that write. */
export async function backUp(pool: SqlPool, schema: string, to: string): Promise<number> {
  await run(
    pool,
    `DO $$ DECLARE each record; BEGIN
      LOCK TABLE "${schema}".entia_store IN SHARE MODE;
      DROP SCHEMA IF EXISTS "${to}" CASCADE;
      CREATE SCHEMA "${to}";
      FOR each IN SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schema}' LOOP
        EXECUTE format('CREATE TABLE %I.%I AS TABLE %I.%I', '${to}', each.name, '${schema}', each.name);
      END LOOP;
      CREATE TABLE "${to}"._sequences AS
        SELECT sequencename AS name, last_value AS value FROM pg_sequences
        WHERE schemaname = '${schema}' AND last_value IS NOT NULL;
    END $$`,
  )
  const { rows } = await run(pool, `SELECT stamp FROM "${to}".entia_store`)
  return Number(rows[0]![0])
}

/**
 * Replaces the contents of the tables by a copy, as one transaction, and begins an epoch. Columns
 * that a migration has added since stay, without values. Answers the stamp.
 */
export async function restore(pool: SqlPool, schema: string, from: string): Promise<number> {
  await run(
    pool,
    `DO $$ DECLARE each record; columns text; former integer; BEGIN
      LOCK TABLE "${schema}".entia_store IN ACCESS EXCLUSIVE MODE;
      SELECT s.epoch INTO former FROM "${schema}".entia_store AS s;
      SET LOCAL session_replication_role = replica;
      EXECUTE (SELECT 'TRUNCATE ' || string_agg(format('%I.%I', schemaname, tablename), ', ')
        FROM pg_tables WHERE schemaname = '${schema}');
      FOR each IN SELECT tablename AS name FROM pg_tables
        WHERE schemaname = '${from}' AND tablename <> '_sequences' LOOP
        columns := (SELECT string_agg(quote_ident(c.column_name), ', ')
          FROM information_schema.columns AS c
          JOIN information_schema.columns AS kept
            ON kept.table_name = c.table_name AND kept.column_name = c.column_name
          WHERE c.table_schema = '${schema}' AND kept.table_schema = '${from}'
            AND c.table_name = each.name AND c.is_generated = 'NEVER');
        EXECUTE format('INSERT INTO %I.%I (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %I.%I',
          '${schema}', each.name, columns, columns, '${from}', each.name);
      END LOOP;
      PERFORM setval(format('%I.%I', '${schema}', s.name)::regclass, s.value)
        FROM "${from}"._sequences AS s;
      SET LOCAL session_replication_role = origin;
      PERFORM "${schema}".entia_new_epoch(former);
    END $$`,
  )
  const { rows } = await run(pool, `SELECT stamp FROM "${schema}".entia_store`)
  return Number(rows[0]![0])
}
