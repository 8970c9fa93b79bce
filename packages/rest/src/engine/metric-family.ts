/** A value with its labels; `suffix` is appended to the name of the family. */
export interface Sample {
  readonly suffix?: string
  readonly labels?: { readonly [name: string]: string }
  readonly value: number
}

/** The metrics of one name. */
export interface MetricFamily {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: readonly Sample[]
}

/** A family of one value. */
export function oneMetric(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  value: number,
): MetricFamily {
  return { name: `entia_${name}`, type, help, samples: [{ value }] }
}
