import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkNode, isInstalled } from '../prepare.mjs'
import { countTests } from '../test-counts.mjs'

describe('checkNode', () => {
  test.each(['20.19.0', '20.20.2', '22.0.0', '26.1.0'])('Node %s is new enough', (version) => {
    expect(() => checkNode(version)).not.toThrow()
  })
  test.each(['18.20.4', '20.18.3'])('Node %s is refused with the remedy', (version) => {
    expect(() => checkNode(version)).toThrow(
      `Node 20.19 or newer is needed, and this is Node ${version}`,
    )
  })
})

describe('isInstalled', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'entia-prepare-'))
    mkdirSync(join(folder, 'node_modules'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const write = (file: string, packages: object) =>
    writeFileSync(join(folder, file), JSON.stringify({ packages }))
  const lock = (packages: object) => write('package-lock.json', { '': {}, ...packages })
  const installed = (packages: object) => write('node_modules/.package-lock.json', packages)

  test('is false without node_modules', () => {
    lock({})
    expect(isInstalled(folder)).toBe(false)
  })

  test('is true if every package has its version; other platforms do not count', () => {
    lock({
      'node_modules/a': { version: '1.0.0' },
      'node_modules/win': { version: '1.0.0', optional: true },
    })
    installed({ 'node_modules/a': { version: '1.0.0' } })
    expect(isInstalled(folder)).toBe(true)
  })

  test('is false if a package is missing or has another version', () => {
    lock({ 'node_modules/a': { version: '1.0.1' } })
    installed({ 'node_modules/a': { version: '1.0.0' } })
    expect(isInstalled(folder)).toBe(false)
    installed({})
    expect(isInstalled(folder)).toBe(false)
  })
})

describe('countTests', () => {
  const report = {
    numPassedTests: 3,
    numFailedTests: 0,
    numPendingTests: 1,
    numTodoTests: 1,
    testResults: [],
  }

  test('counts passed, failed and skipped ones', () => {
    expect(countTests({ ...report, numFailedTests: 2 }, 1)).toEqual({
      passed: 3,
      failed: 2,
      skipped: 2,
    })
  })

  test('a file that cannot be loaded is a failure', () => {
    const testResults = [{ status: 'failed', assertionResults: [] }]
    expect(countTests({ ...report, testResults }, 1).failed).toBe(1)
  })

  test('a failed run counts at least one failure', () => {
    expect(countTests(report, 1).failed).toBe(1)
    expect(countTests(null, 0).failed).toBe(1)
    expect(countTests(report, 0).failed).toBe(0)
  })
})
