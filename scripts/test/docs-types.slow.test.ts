import { transform } from 'esbuild'
import { expect, test } from 'vitest'
import { type Fragment, fragments, modules } from './docs-blocks.ts'
import { filesOf } from './docs-commands.ts'
import {
  blocksOf,
  examplesOf,
  fragmentsOf,
  fragmentText,
  isRun,
  isTsx,
  pages,
} from './docs-examples.ts'
import { compile, openFolder } from './docs-folder.ts'
import { readText } from './source-files.ts'

const dom = {
  lib: ['es2023', 'es2024.string', 'esnext.disposable', 'dom', 'dom.iterable'],
  jsx: 'react-jsx',
}

/** A fragment as a module, with a name for error messages. */
const pieces = fragments.map((fragment, i) => ({
  ...fragment,
  name: `piece${i}.${isTsx(fragment.page) ? 'tsx' : 'mts'}`,
  text: moduleOf(fragment),
}))
const isTypeScript = ({ page, first }: Fragment): boolean =>
  fragmentsOf(page).some(({ info, text }) => info.startsWith('ts') && text.startsWith(first))

function moduleOf({ page, first, given = '', isLiteral = false }: Fragment): string {
  const text = fragmentText(page, first)
  const code = isLiteral ? `export const literal = {\n${text.replace(/^\{|\}\s*$/g, '')}\n}` : text
  return [`// ${page}: ${first.split('\n')[0]}`, given, code, 'export {}'].join('\n')
}

const checked = pieces.filter(({ isUntyped, sameAs }) => isUntyped !== true && sameAs === undefined)

test('TypeScript blocks compile, except for marked errors', async (ending) => {
  const programs = pages
    .filter((page) => blocksOf(page).some(isRun))
    .map(
      (page, i) =>
        [
          `page${i}.${isTsx(page) ? 'tsx' : 'mts'}`,
          `// ${page}\n${examplesOf(page)
            .map(({ code }) => code)
            .join('\n')}`,
        ] as const,
    )
  const typed = checked.filter(isTypeScript).map(({ name, text }) => [name, text] as const)
  const files = [...programs, ...typed]
  const folder = openFolder(ending, { ...Object.fromEntries(files), ...modules })
  const names = files.map(([name]) => name)
  expect(await compile(folder, names, dom)).toBe('')
})

// JavaScript blocks need no parameter types.
test('JavaScript blocks and the tutorial files use existing names', async (ending) => {
  const untyped = checked
    .filter((piece) => !isTypeScript(piece))
    .map(({ name, text }) => [name, text] as const)
  const started = [...filesOf(readText('docs/tutorial.md'))].map(
    ([name, text]) => [`started/${name}`, text] as const,
  )
  const files = [...untyped, ...started]
  const folder = openFolder(ending, { ...Object.fromEntries(files), ...modules })
  const names = files.map(([name]) => name)
  expect(await compile(folder, names, { ...dom, noImplicitAny: false })).toBe('')
})

test('blocks without types parse', async () => {
  for (const { text, isUntyped } of pieces) {
    if (isUntyped) await expect(transform(text, { loader: 'tsx' })).resolves.toBeDefined()
  }
})
