import { ActionMenu } from './action-menu.tsx'
import { copyText } from './copy-text.ts'
import type { Scene } from './scene.ts'
import type { SelectionAction } from './selection-dialogs.tsx'

interface MoreMenuProps {
  readonly scene: Scene
  readonly columns: readonly string[]
  readonly isRefused: boolean
  readonly isEmpty: boolean
  readonly keep: () => void
  readonly open: (action: SelectionAction) => void
}

/** The actions of a selection that are used less often. */
export function MoreMenu({ scene, columns, isRefused, isEmpty, keep, open }: MoreMenuProps) {
  const copyLink = async () => {
    const isCopied = await copyText(location.href)
    scene.notify(isCopied ? 'Copied the link to this view.' : 'The browser refuses to copy.')
  }
  return (
    <ActionMenu
      label="More"
      icon="more"
      actions={[
        {
          title: 'Keep this selection',
          icon: 'keep',
          hint: 'Keep this selection on the shelf',
          isDisabled: isRefused,
          act: keep,
        },
        {
          title: 'Export…',
          icon: 'export',
          isDisabled: isRefused || isEmpty,
          act: () => open('export'),
        },
        {
          title: 'Paste…',
          icon: 'paste',
          hint: 'Change or create entities from cells of a spreadsheet (Ctrl V in the grid)',
          act: () => open({ text: null, columns, entities: [] }),
        },
        {
          title: 'Copy link',
          icon: 'link',
          hint: 'Copy the address of this view',
          act: copyLink,
        },
        {
          title: 'Delete…',
          icon: 'delete',
          isDisabled: isRefused || isEmpty,
          isDangerous: true,
          act: () => open('delete'),
        },
      ]}
    />
  )
}
