import { relative, sep } from 'node:path'
import { inversesOf, optionsOf } from './build-classes.ts'
import type { InferredClass, InferredModel } from './infer-model.ts'

/**
 * The source of a module for an inferred model, as a person would write it. `entia serve` accepts
 * it, and programs can import it. `folder` is the module's folder: paths to the files are relative
 * to it. Without a folder, the module has the model and no rows.
 */
export function printModule(model: InferredModel, name: string, folder: string | null): string {
  const { classes, remarks } = model
  const names = classes.map((each) => each.name).join(', ')
  const store = `createDataStore({ name: ${quoted(name)}, dataClasses: [${names}] })`
  return `// Inferred from ${folder === null ? 'standard input' : 'the files named below'}. Edit it as you like.
${remarks.map((remark) => `// ${remark}\n`).join('')}import { attribute, createDataStore, defineDataClass } from '@entia/core'
${folder === null ? '' : "import { loadFile } from 'entia'\n"}
${classes.map((each) => printClass(each, classes)).join('\n')}
${folder === null ? `export default ${store}\n` : printOpen(store, classes, folder)}`
}

const printOpen = (store: string, classes: readonly InferredClass[], folder: string): string =>
  `/** Opens the store and loads the files into it. */
export default async function open() {
  const store = ${store}
${classes.map((each) => `  await loadFile(store.${each.name}, ${pathOf(each, folder)})\n`).join('')}  return store
}
`

function printClass(each: InferredClass, classes: readonly InferredClass[]): string {
  const lines = [
    ...each.attributes.map(
      (own) =>
        `  ${keyed(own.name)}: attribute.${own.type}(${printOptions(optionsOf(own, each))}),`,
    ),
    ...each.relations.map(
      ({ name, target, foreignKey }) =>
        `  ${keyed(name)}: attribute.relatedEntity(${quoted(target)}, { foreignKey: ${quoted(foreignKey)} }),`,
    ),
    ...inversesOf(each, classes).map(
      ({ name, inverse, from }) =>
        `  ${keyed(inverse)}: attribute.relatedEntities(${quoted(from)}, ${quoted(name)}),`,
    ),
  ]
  return `export const ${each.name} = defineDataClass(${quoted(each.name)}, {\n${lines.join('\n')}\n})\n`
}

function printOptions(options: Readonly<Record<string, boolean | string>>): string {
  const parts = Object.entries(options).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? quoted(value) : value}`,
  )
  return parts.length === 0 ? '' : `{ ${parts.join(', ')} }`
}

function pathOf({ source: { file, member } }: InferredClass, folder: string): string {
  const path = relative(folder, file.path).split(sep).join('/')
  const url = `new URL(${quoted(path.startsWith('.') ? path : `./${path}`)}, import.meta.url)`
  return member === null ? url : `${url}, { list: ${quoted(member)} }`
}

const keyed = (name: string): string =>
  /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? name : quoted(name)
const quoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
