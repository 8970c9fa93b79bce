/** A value for files and tables: dates are texts already, and bytes become a data URL. */
export function plainValue(value: unknown): unknown {
  if (
    typeof value !== 'object' ||
    value === null ||
    !('bytes' in value) ||
    typeof value.bytes !== 'function'
  )
    return value
  const { mediaType } = value as { readonly mediaType?: string }
  return `data:${mediaType};base64,${Buffer.from(value.bytes() as Uint8Array).toString('base64')}`
}
