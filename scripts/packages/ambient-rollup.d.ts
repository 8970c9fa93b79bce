// The parts in use of packages that only packing installs, so that types are checked without them.

declare module 'rollup' {
  export function rollup(options: {
    readonly input: Readonly<Record<string, string>>
    readonly plugins: readonly unknown[]
    readonly external: (name: string) => boolean
    readonly onwarn: () => void
  }): Promise<{
    write(options: {
      readonly dir: string
      readonly entryFileNames: string
      readonly chunkFileNames: string
    }): Promise<unknown>
    close(): Promise<void>
  }>
}
declare module 'rollup-plugin-dts' {
  export function dts(): unknown
}
