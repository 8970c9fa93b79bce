import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core'
import spectralRulesets from '@stoplight/spectral-rulesets'
import type { Document } from './document-validator.ts'

/** Options that the linters require and only an application can give. */
export const ABOUT = {
  contact: { name: 'Ada Byron', url: 'https://example.com/ada', email: 'ada@example.com' },
  license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
}

// Each compiles its rules, which takes longer than a document.
const validator = new Validator()
const spectral = new spectralCore.Spectral()
spectral.setRuleset({
  extends: [[spectralRulesets.oas, 'all']],
} as unknown as RulesetDefinition)
const redocly = createConfig({ extends: ['recommended'] })

/** The findings of three linters in a document, with all their rules: faults and advice. */
export async function lint(document: Document): Promise<readonly string[]> {
  const source = JSON.stringify(document)
  const { valid, errors } = await validator.validate(JSON.parse(source))
  return [
    ...(valid ? [] : [`the schema of OpenAPI: ${JSON.stringify(errors)}`]),
    ...(await spectralFindings(JSON.parse(source))),
    ...(await redoclyFindings(source)),
  ]
}

async function spectralFindings(document: Document): Promise<readonly string[]> {
  const found = await spectral.run(document)
  return found.map(({ code, message, path }) => `Spectral ${code}: ${message} (${path.join('/')})`)
}

async function redoclyFindings(source: string): Promise<readonly string[]> {
  const found = await lintFromString({ source, config: await redocly })
  return found.map(
    ({ ruleId, message, location }) => `Redocly ${ruleId}: ${message} (${location[0]?.pointer})`,
  )
}
