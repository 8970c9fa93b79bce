import { SqlName } from '../sql-builder/sql.ts'

/** The function that refuses a transaction whose statement changed an unexpected number of rows. */
export const expectName = (schema: string): SqlName => new SqlName(schema, 'entia_expect')

/** Creates `entia_expect(met, expected)`: SQLSTATE EN001 unless both are equal. */
export const expectFunction = (schema: string): string =>
  `CREATE OR REPLACE FUNCTION ${expectName(schema).quoted} (met bigint, expected bigint)
    RETURNS void LANGUAGE plpgsql AS $entia$
  BEGIN
    IF met <> expected THEN
      RAISE EXCEPTION 'another transaction changed the rows' USING ERRCODE = 'EN001';
    END IF;
  END $entia$`
