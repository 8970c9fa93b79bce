import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript-5'
import { setup as build } from '../../../../scripts/build-before-tests.mjs'

const packages = fileURLToPath(new URL('../../..', import.meta.url))
const modules = join(packages, '../node_modules')
const tsc7 = join(modules, 'typescript/bin/tsc')

/** What both compilers are given: a user's program, with declarations. */
const OPTIONS = {
  target: 'es2022',
  lib: ['es2023', 'es2024.string', 'esnext.disposable'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  declaration: true,
  emitDeclarationOnly: true,
  rewriteRelativeImportExtensions: true,
  outDir: 'out',
  types: ['node'],
}

/** A folder as a user has one: programs, and the declarations of @entia/core under node_modules. */
export class UserFolder {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), 'entia-types-')))
  readonly #files: string[] = []
  #service: ts.LanguageService | null = null
  #opened = { path: '', text: '', version: 0 }

  constructor() {
    build()
    mkdirSync(join(this.path, 'node_modules'))
    symlinkSync(join(modules, '@types'), join(this.path, 'node_modules/@types'))
    writeFileSync(join(this.path, 'package.json'), '{ "type": "module" }')
    this.addPackage('core')
  }

  /**
   * Adds the built declarations of a package. `imports`: packages of others that these name.
   */
  addPackage(name: string, imports: readonly string[] = []): void {
    for (const each of imports) {
      const link = join(this.path, 'node_modules', each)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(join(modules, each), link)
    }
    const installed = join(this.path, 'node_modules/@entia', name)
    cpSync(join(packages, name, 'package.json'), join(installed, 'package.json'))
    cpSync(join(packages, name, 'dist'), join(installed, 'dist'), {
      recursive: true,
      filter: (file) => /\.d\.ts$/.test(file) || statSync(file).isDirectory(),
    })
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text)
    this.#files.push(name)
  }
  addPrograms(): void {
    const folder = fileURLToPath(new URL('programs', import.meta.url))
    for (const file of ts.sys.readDirectory(folder, ['.ts']))
      this.write(ts.sys.resolvePath(file).split('/').at(-1)!, readFileSync(file, 'utf8'))
  }
  remove(): void {
    rmSync(this.path, { recursive: true })
  }

  /**
   * The errors of TypeScript 7 in these files, and how many instantiations of types it took.
   * `others`: options in place of the usual ones.
   */
  compile7(files = this.#files, others: object = {}): Compiled {
    writeFileSync(
      join(this.path, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...OPTIONS, ...others }, files }),
    )
    const { stdout } = spawnSync(
      process.execPath,
      [tsc7, '-p', this.path, '--extendedDiagnostics', '--pretty', 'false'],
      {
        cwd: this.path,
        encoding: 'utf8',
      },
    )
    return {
      errors: stdout.split(/\n(?! )/).filter((text) => text.includes('error TS')),
      instantiations: Number(/^Instantiations:\s+(\d+)$/m.exec(stdout)?.[1]),
    }
  }

  /** The same of TypeScript 5.9. */
  compile5(files = this.#files, others: object = {}): Compiled {
    const { options } = ts.convertCompilerOptionsFromJson({ ...OPTIONS, ...others }, this.path)
    const program = ts.createProgram(
      files.map((file) => join(this.path, file)),
      options,
    )
    // These include the faults of declarations, since the options ask for them.
    const errors = ts.getPreEmitDiagnostics(program).map(({ file, code, messageText, start }) => {
      const line = file?.getLineAndCharacterOfPosition(start ?? 0).line
      return `${file?.fileName}(${(line ?? 0) + 1}): error TS${code}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
    })
    return { errors, instantiations: program.getInstantiationCount() }
  }

  /** What an editor shows of exported constants of a file: by name. */
  hovers(file: string): Map<string, string> {
    const path = join(this.path, file)
    const service = this.#editor(path, readFileSync(path, 'utf8'))
    const shown = new Map<string, string>()
    for (const { index, 1: name } of readFileSync(path, 'utf8').matchAll(
      /(?<=^export const )(\w+)/gm,
    )) {
      const { displayParts } = service.getQuickInfoAtPosition(path, index)!
      shown.set(
        name,
        ts.displayPartsToString(displayParts).replace(`const ${name}: `, '').replace(/\s+/g, ' '),
      )
    }
    return shown
  }

  /**
   * What an editor offers at the places of a program that are marked `¦`, each within a literal:
   * the texts that it would put there, in order.
   */
  completions(program: string): readonly (readonly string[])[] {
    const path = join(this.path, 'edited.ts')
    const [first = '', ...pieces] = program.split('¦')
    const service = this.#editor(path, [first, ...pieces].join(''))
    let position = first.length
    return pieces.map((piece) => {
      const found = service.getCompletionsAtPosition(path, position, {})
      position += piece.length
      return (found?.entries ?? []).map(({ name }) => name).sort()
    })
  }

  /** An editor with one open file. One service for all, so that it reads declarations once. */
  #editor(path: string, text: string): ts.LanguageService {
    this.#opened = { path, text, version: this.#opened.version + 1 }
    if (this.#service !== null) return this.#service
    const { options } = ts.convertCompilerOptionsFromJson(OPTIONS, this.path)
    this.#service = ts.createLanguageService({
      getScriptFileNames: () => [this.#opened.path],
      getScriptVersion: (name) => (name === this.#opened.path ? `${this.#opened.version}` : '1'),
      getScriptSnapshot: (name) => {
        const content = name === this.#opened.path ? this.#opened.text : ts.sys.readFile(name)
        return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content)
      },
      getCurrentDirectory: () => this.path,
      getCompilationSettings: () => options,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: (name) => name === this.#opened.path || ts.sys.fileExists(name),
      readFile: ts.sys.readFile,
      readDirectory: ts.sys.readDirectory,
      directoryExists: ts.sys.directoryExists,
      getDirectories: ts.sys.getDirectories,
    })
    return this.#service
  }
}

export interface Compiled {
  readonly errors: readonly string[]
  readonly instantiations: number
}
