import { DeleteDialog } from './delete-dialog.tsx'
import { doomedRows } from './deletion.ts'
import { ExportDialog } from './export-dialog.tsx'
import type { DataClass } from './model.ts'
import { type PasteAt, PasteDialog } from './paste-dialog.tsx'
import { setOfRows } from './rows-set.ts'
import type { Scene } from './scene.ts'

/** The open dialog of a selection; null without one. */
export type SelectionAction = 'export' | 'delete' | PasteAt | null

interface SelectionDialogsProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  readonly columns: readonly string[]
  /** The size of the selection. */
  readonly count: number
  readonly action: SelectionAction
  readonly close: () => void
}

/** The dialogs that act on the whole selection. */
export function SelectionDialogs(props: SelectionDialogsProps) {
  const { scene, dataClass, columns, count, action, close } = props
  const find = () => setOfRows(scene.ask, scene.place, dataClass)
  if (action === null) return null
  if (action === 'export')
    return (
      <ExportDialog
        scene={scene}
        dataClass={dataClass}
        columns={columns}
        count={count}
        find={find}
        close={close}
      />
    )
  if (action === 'delete')
    return (
      <DeleteDialog
        scene={scene}
        find={() => find().then((rows) => doomedRows(dataClass, rows))}
        deleted={() => {}}
        close={close}
      />
    )
  return <PasteDialog scene={scene} dataClass={dataClass} at={action} close={close} />
}
