import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** A name from the position and the replacement: equal in every run over equal sources. */
export function nameOf({ fileName, location: { start, end }, mutatorName, replacement }) {
  return `${fileName}:${start.line}:${start.column}-${end.line}:${end.column} ${mutatorName} ${replacement ?? ''}`
}

/** `file:line:column original -> replacement`, for reports. */
export function describeMutant({ fileName, location: { start, end }, mutatorName, replacement }) {
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line)
  lines[lines.length - 1] = lines[lines.length - 1].slice(0, end.column - 1)
  lines[0] = lines[0].slice(start.column - 1)
  const place = `${relative(process.cwd(), fileName)}:${start.line}:${start.column}`
  return `${place} ${short(lines.join(' '))} -> ${short(replacement ?? mutatorName)}`
}

/** False for a mutant that was not chosen. */
export function isTested({ status }) {
  return status !== 'CompileError' && status !== 'Ignored'
}
export function isSurvivor({ status }) {
  return status === 'Survived' || status === 'NoCoverage'
}

function short(text) {
  const squeezed = text.replace(/\s+/g, ' ')
  return squeezed.length > 100 ? `${squeezed.slice(0, 99)}…` : squeezed
}
