// The few names of jest that the entry for jest takes. Programs that use jest have its own types.
// Installing them here would add two hundred packages to every checkout.
declare module '@jest/globals' {
  type Hook = (run: () => void) => void
  export const afterAll: Hook
  export const afterEach: Hook
  export const beforeEach: Hook
  export const expect: { extend(matchers: object): void }
}

declare module 'expect' {
  interface Matchers<R> {}
}
