import { usageError } from '../cli-error.ts'
import { parseCommand } from '../command-options.ts'
import { write } from '../print/write.ts'
import { suggestionOf } from '../suggestion.ts'
import { completionUsage, generalUsage, USAGES } from '../usage.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** What a shell completes after `entia`, as the help says it. */
interface CompletedCommand {
  readonly name: string
  readonly purpose: string
  readonly options: readonly CompletedOption[]
}

interface CompletedOption {
  readonly name: string
  readonly short: string | null
  readonly purpose: string
  readonly takesValue: boolean
}

/** `entia completion <shell>`: prints a script for the shell. Returns the exit code. */
export async function completion(parameters: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommand('completion', parameters, {})
  if (values.help) return write(completionUsage)
  const [named, ...extra] = positionals
  const shell = SHELLS.find((each) => each === named)
  if (shell === undefined || extra.length > 0)
    throw usageError(
      named === undefined
        ? '"entia completion" takes one shell: bash, zsh or fish'
        : `"entia completion" takes one shell: bash, zsh or fish, not "${positionals.join(' ')}".${suggestionOf(named, SHELLS)}`,
      'completion',
    )
  const commands = completedCommands()
  switch (shell) {
    case 'bash':
      return write(bashScript(commands))
    case 'zsh':
      return write(zshScript(commands))
    case 'fish':
      return write(fishScript(commands))
  }
}

/** The commands and options of the help, which is their only list with a purpose for each. */
export function completedCommands(): readonly CompletedCommand[] {
  const purposes = new Map(
    [...generalUsage.matchAll(/^ {2}([a-z]+)(?: \S.*?)? {2,}(\S.*)$/gm)].map(
      ([, name = '', purpose = '']) => [name, purpose],
    ),
  )
  return [...USAGES].map(([name, usage]) => ({
    name,
    purpose: purposes.get(name) ?? '',
    options: optionsIn(usage),
  }))
}

const OPTION_LINE = /^ {2}(?:-([a-z]), | {4})--([a-z-]+)( <[^>]*>)? +(\S.*)$/gm

const optionsIn = (usage: string): readonly CompletedOption[] =>
  [...usage.matchAll(OPTION_LINE)].map(([, short = null, name = '', value, purpose = '']) => ({
    name,
    short,
    purpose: purpose.replace(/ {2,}.*/, ''),
    takesValue: value !== undefined,
  }))

/** Everything but options is completed as the name of a file. */
const bashScript = (commands: readonly CompletedCommand[]): string => `_entia() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=''
  if [[ $COMP_CWORD -eq 1 ]]; then
    words='${commands.map(({ name }) => name).join(' ')} --help --version'
  elif [[ "$current" == -* ]]; then
    case "\${COMP_WORDS[1]}" in
${commands.map(({ name, options }) => `      ${name}) words='${longNames(options).join(' ')}' ;;`).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _entia entia
`

const zshScript = (commands: readonly CompletedCommand[]): string => `#compdef entia
_entia() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${commands.map(({ name, purpose }) => `      ${quoted(`${name}:${purpose}`)}`).join('\n')}
    )
    _describe command commands
    return
  fi
  case "$words[2]" in
${commands.map(({ name, options }) => `    ${name}) _arguments ${options.map(zshOption).join(' ')} '*:file:_files' ;;`).join('\n')}
  esac
}
compdef _entia entia
`

const zshOption = ({ name, purpose, takesValue }: CompletedOption): string =>
  quoted(`--${name}[${purpose.replace(/[[\]:]/g, ' ')}]${takesValue ? ':value:_files' : ''}`)

const fishScript = (commands: readonly CompletedCommand[]): string =>
  commands
    .flatMap(({ name, purpose, options }) => [
      `complete -c entia -n __fish_use_subcommand -a ${name} -d ${quoted(purpose)}`,
      ...options.map(
        (option) =>
          `complete -c entia -n '__fish_seen_subcommand_from ${name}' -l ${option.name}${option.short === null ? '' : ` -s ${option.short}`}${option.takesValue ? ' -r' : ''} -d ${quoted(option.purpose)}`,
      ),
      '',
    ])
    .join('\n')

const longNames = (options: readonly CompletedOption[]): readonly string[] =>
  options.map(({ name }) => `--${name}`)

/** A text as one word of a shell; purposes hold quotes, none of them single. */
const quoted = (text: string): string => `'${text.replaceAll("'", '’')}'`
