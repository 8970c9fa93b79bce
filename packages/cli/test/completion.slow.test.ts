import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { completedCommands } from '../src/commands/completion.ts'
import { COMMANDS } from '../src/main.ts'
import { runEntia } from './run-entia.ts'

test('every command has a purpose, and its help is in the list of completions', () => {
  const commands = completedCommands()
  expect(commands.map(({ name }) => name)).toEqual([...COMMANDS.keys()])
  expect(commands.filter(({ purpose }) => purpose === '')).toEqual([])
})

// Node's parseArgs knows the options of a command; the help must name the same ones.
test.each(completedCommands())('the options of $name exist', async ({ name, options }) => {
  expect(options.map((option) => option.name)).toContain('help')
  const all = options.flatMap((option) => [`--${option.name}`, ...(option.takesValue ? ['1'] : [])])
  const { stderr } = await runEntia([name, ...all, '--help'])
  expect(stderr).toBe('')
})

/** What bash completes after these words. */
function completed(...words: readonly string[]): readonly string[] {
  const bin = new URL('../bin/entia.mjs', import.meta.url).pathname
  const script = `source <(${process.execPath} ${bin} completion bash)
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _entia
printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((word) => word !== '')
}

test('bash completes commands and options, and leaves files to itself', () => {
  expect(completed('entia', 'ex')).toEqual(['explain', 'export'])
  expect(completed('entia', 'query', 'x.csv', '--fo')).toEqual(['--format'])
  expect(completed('entia', 'serve', '--op')).toEqual(['--openapi', '--operator'])
  expect(completed('entia', 'query', 'da')).toEqual([])
})

test.each(['zsh', 'fish'])('the script for %s names every command and option', async (shell) => {
  const { exitCode, stdout } = await runEntia(['completion', shell])
  expect(exitCode).toBe(0)
  for (const { name, options } of completedCommands()) {
    expect(stdout).toContain(name)
    for (const option of options)
      expect(stdout).toContain(shell === 'fish' ? `-l ${option.name}` : `--${option.name}[`)
  }
  const found = spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' })
  if (found.error === undefined) expect(found.stderr).toBe('')
})

test('an unknown shell is refused with the known ones', async () => {
  expect(await runEntia(['completion', 'bsh'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Did you mean "bash"?'),
  })
})
