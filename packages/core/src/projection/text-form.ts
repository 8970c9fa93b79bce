import { presentedReader } from '../entity/entity-factory.ts'
import { EntiaError } from '../errors.ts'
import { type Database, recordFinder } from '../execute/database.ts'
import type { AttributeModel, ClassModel } from '../model/catalog.ts'
import { findAttribute, type Sees, unknownAttribute } from '../model/path.ts'
import type { TextForm, TextPiece } from '../model/text-form.ts'
import type { Table } from '../storage/table.ts'
import { columnText, type TextAppender, textOfEach, timestampReader } from './column-text.ts'
import { RecordTexts } from './record-texts.ts'

/**
 * Compiles a form for a dataclass; attributes for which `sees` is false are unknown. Throws `attributeNotFound`, and
 * `attributeNotApplicable` for what is not stored.
 */
export function compileTextForm(database: Database, dataClass: ClassModel, form: TextForm, sees: Sees): RecordTexts {
  const table = database.tableOf(dataClass)
  const pieces = form.pieces.map((piece) => compilePiece(database, table, piece, sees))
  return new RecordTexts(table, pieces, form.end, database === database.whole)
}

function compilePiece(database: Database, table: Table, piece: TextPiece, sees: Sees): TextAppender {
  const { head } = piece
  switch (piece.kind) {
    case 'value':
      return columnText(table, ordinalOf(table.model, piece.attribute, sees), head, piece.write)
    case 'marked': {
      const { attribute, write } = piece
      const read = attribute === null ? () => null : presentedReader(table, ordinalOf(table.model, attribute, sees))
      const key = table.columns[table.model.key.ordinal]
      const timestamp = timestampReader(table)
      return textOfEach(head, (slot) =>
        write(read(slot), {
          key: key.read(slot) as string | number,
          stamp: table.stamps[slot],
          timestamp: timestamp(slot),
        }),
      )
    }
    case 'relatedKey': {
      const attribute = known(table.model, piece.relation, sees)
      if (attribute.kind !== 'relatedEntity') throw notApplicable(attribute, 'Name a to-one relation.')
      const { foreignKey, target } = attribute
      // A record that is not there, or not to be seen, is not told of; for whoever sees all, foreign keys lead to what is there.
      if (database === database.whole)
        return columnText(table, foreignKey.ordinal, head, piece.write as (key: unknown) => string)
      const find = recordFinder(database, target)
      return textOfEach(head, (slot) => {
        const key = table.read(slot, foreignKey.ordinal)
        return piece.write(find(key) < 0 ? null : (key as string | number))
      })
    }
  }
}

function ordinalOf(dataClass: ClassModel, name: string, sees: Sees): number {
  const attribute = known(dataClass, name, sees)
  if (attribute.kind !== 'storage') throw notApplicable(attribute, 'Name a stored attribute.')
  return attribute.ordinal
}

function known(dataClass: ClassModel, name: string, sees: Sees): AttributeModel {
  const attribute = findAttribute(dataClass, name)
  if (attribute === undefined || !sees(attribute)) throw unknownAttribute(dataClass, name, sees)
  return attribute
}

const notApplicable = ({ owner, name }: AttributeModel, remedy: string): EntiaError =>
  new EntiaError('attributeNotApplicable', { dataClass: owner.name, attribute: name, use: 'a text form', remedy })
