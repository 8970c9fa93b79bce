/**
 * Packs every package as `npm publish` would, from copies, so that concurrent readers of the
 * checkout are not affected.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { PrepareError, root } from '../prepare.mjs'
import { bundleTypes } from './bundle-types.mjs'
import { pruneBuild } from './prune-build.mjs'
import { stripManifest } from './published-manifest.mjs'

/**
 * @typedef {object} PackedPackage
 * @property {string} name the name in its manifest
 * @property {string} tarball absolute path of the file
 * @property {string} folder absolute path of the unpacked content
 */

/** Folders of `packages`, in the order in which they are built. */
export function packageFolders() {
  /** @type {{ references: { path: string }[] }} */
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  return references.map(({ path }) => path.replace(/^packages\//, ''))
}

/**
 * Packs built packages. Creates `staged`, `tarballs` and `unpacked` in the folder.
 * @param {string} folder absolute path of an empty folder
 * @param {readonly string[]} [names] of folders of `packages`
 * @returns {Promise<readonly PackedPackage[]>}
 */
export async function packAll(folder, names = packageFolders()) {
  const tarballs = join(folder, 'tarballs')
  mkdirSync(tarballs, { recursive: true })
  for (const name of names) {
    const staged = join(folder, 'staged', name)
    cpSync(join(root, 'packages', name), staged, {
      recursive: true,
      filter: (path) => !['node_modules', 'test'].includes(basename(path)),
    })
    pruneBuild(staged)
    await bundleTypes(staged)
    stripManifest(staged)
  }
  const places = names.map((name) => join(folder, 'staged', name))
  const printed = JSON.parse(
    command(
      'npm',
      ['pack', '--json', '--ignore-scripts', '--pack-destination', tarballs, ...places],
      folder,
    ),
  )
  // npm 12 prints an object by name, npm 11 and earlier a list.
  const reports = Array.isArray(printed) ? printed : Object.values(printed)
  return reports.map(({ name, filename }) => {
    const tarball = join(tarballs, filename.replace('@', '').replace('/', '-'))
    const unpacked = join(folder, 'unpacked', basename(tarball, '.tgz'))
    mkdirSync(unpacked, { recursive: true })
    command('tar', ['-xzf', tarball, '-C', unpacked], folder)
    return { name, tarball, folder: join(unpacked, 'package') }
  })
}

/**
 * Returns the output of a program. Throws with the whole output if the program fails.
 * @param {string} program
 * @param {readonly string[]} parameters
 * @param {string} cwd
 * @param {Readonly<Record<string, string>>} [environment] variables in addition to those of this
 * process
 */
export function command(program, parameters, cwd, environment = {}) {
  const windows = process.platform === 'win32' && !program.endsWith('.exe')
  const { status, stdout, stderr, error } = spawnSync(program, parameters, {
    cwd,
    encoding: 'utf8',
    shell: windows,
    env: { ...process.env, ...environment },
  })
  if (error !== undefined) throw new PrepareError(`${program} cannot be started: ${error.message}`)
  if (status === 0) return stdout
  throw new PrepareError(
    `${basename(program)} ${parameters.join(' ')} ended with ${status}\n${stdout}${stderr}`,
  )
}
