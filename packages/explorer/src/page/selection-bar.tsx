import { useState } from 'preact/hooks'
import { ChangeDialog } from './change-dialog.tsx'
import { copyText } from './copy-text.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { doomedRows } from './deletion.ts'
import { exportAll, type Format } from './export-data.ts'
import { ExportDialog } from './export-dialog.tsx'
import type { DataClass } from './model.ts'
import { setOfRows } from './rows-set.ts'
import type { Scene } from './scene.ts'
import { selectedCount } from './selected.ts'
import { useRoving } from './use-roving.ts'
import type { Selecting } from './use-selected.ts'

/** The most rows that are copied: a clipboard is no file. */
const maxCopied = 20_000

interface SelectionBarProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  readonly columns: readonly string[]
  /** The size of the whole selection. */
  readonly count: number
  readonly selecting: Selecting
  /** Whether rows can be selected; an open dialog stays without. */
  readonly isShown: boolean
}

/** How many rows are selected, and what to do with them. */
export function SelectionBar(props: SelectionBarProps) {
  const { scene, dataClass, columns, count, selecting } = props
  const { ask, place } = scene
  const { selected } = selecting
  const [element, onKeyDown] = useRoving<HTMLDivElement>('horizontal')
  const [dialog, setDialog] = useState<'none' | 'change' | 'delete' | 'export'>('none')
  const size = selectedCount(selected, count)
  const find = () => setOfRows(ask, place, dataClass, selected)
  const close = () => setDialog('none')
  const copy = (format: Format) => copyRows(scene, dataClass, columns, count, selecting, format)
  return (
    <>
      {props.isShown && size > 0 && (
        <div
          class="bar selected-bar"
          role="toolbar"
          aria-label="Selected rows"
          ref={element}
          onKeyDown={onKeyDown}
        >
          <output aria-live="polite">
            <b>{size.toLocaleString('en')}</b> selected
          </output>
          {size < count && (
            <button type="button" class="quiet" onClick={selecting.all}>
              Select all {count.toLocaleString('en')}
            </button>
          )}
          <span class="spring" />
          <button type="button" class="quiet" onClick={() => setDialog('change')}>
            Change…
          </button>
          <button
            type="button"
            class="quiet"
            title="Copy as text for a spreadsheet (Ctrl C)"
            onClick={() => copy('tsv')}
          >
            Copy table
          </button>
          <button type="button" class="quiet" onClick={() => copy('json')}>
            Copy JSON
          </button>
          <button
            type="button"
            class="quiet"
            aria-label="Export the selected rows…"
            onClick={() => setDialog('export')}
          >
            Export…
          </button>
          <button
            type="button"
            class="quiet danger"
            aria-label="Delete the selected rows…"
            onClick={() => setDialog('delete')}
          >
            Delete…
          </button>
          <button
            type="button"
            class="quiet"
            aria-label="Select no row"
            title="Select no row"
            onClick={selecting.clear}
          >
            ✕
          </button>
        </div>
      )}
      {dialog === 'change' && (
        <ChangeDialog scene={scene} dataClass={dataClass} count={size} find={find} close={close} />
      )}
      {dialog === 'export' && (
        <ExportDialog
          scene={scene}
          dataClass={dataClass}
          columns={columns}
          count={size}
          find={find}
          close={close}
        />
      )}
      {dialog === 'delete' && (
        <DeleteDialog
          scene={scene}
          find={() => find().then((rows) => doomedRows(dataClass, rows))}
          deleted={selecting.clear}
          close={close}
        />
      )}
    </>
  )
}

/** Puts the shown columns of the selected rows on the clipboard. */
export async function copyRows(
  { ask, place, notify }: Scene,
  dataClass: DataClass,
  columns: readonly string[],
  count: number,
  { selected }: Selecting,
  format: Format,
): Promise<void> {
  const size = selectedCount(selected, count)
  if (size > maxCopied)
    return notify(
      `A copy holds up to ${maxCopied.toLocaleString('en')} rows: export these ${size.toLocaleString('en')}.`,
    )
  const report = (done: number) =>
    notify(
      `Copying ${done.toLocaleString('en')} of ${size.toLocaleString('en')} of ${dataClass.name} …`,
    )
  try {
    report(0)
    const rows = await setOfRows(ask, place, dataClass, selected)
    const { signal } = new AbortController()
    const file = await exportAll(ask, rows, dataClass, columns, format, signal, report).finally(
      rows.release,
    )
    const text = await file.content.text()
    const isCopied = await copyText(text.replace(/\r?\n$/, ''))
    const how = format === 'tsv' ? 'as a table' : 'as JSON'
    notify(
      isCopied
        ? `Copied ${file.count.toLocaleString('en')} of ${dataClass.name} ${how}.`
        : 'The browser refuses to copy.',
    )
  } catch (error) {
    notify(error instanceof Error ? error.message : 'The copy failed.')
  }
}
