import type { MetricFamily } from '../engine/metric-family.ts'

/** The text format of Prometheus, version 0.0.4. */
export function prometheusText(families: readonly MetricFamily[]): string {
  return families.map(familyText).join('')
}

function familyText({ name, type, help, samples }: MetricFamily): string {
  const lines = [`# HELP ${name} ${help.replace(/[\\\n]/g, escaped)}`, `# TYPE ${name} ${type}`]
  for (const { suffix = '', labels = {}, value } of samples)
    lines.push(`${name}${suffix}${labelText(labels)} ${numberText(value)}`)
  return `${lines.join('\n')}\n`
}

function labelText(labels: { readonly [name: string]: string }): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\\n"]/g, escaped)}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (character: string): string => (character === '\n' ? '\\n' : `\\${character}`)

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf'
}
